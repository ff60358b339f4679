import Foundation

/// A program as a user would start it: arguments, environment, directory.
struct Program {
    /// Its path, or its name when it is on `PATH`.
    let path: String
    var arguments: [String] = []
    /// Its environment, beside `PATH` and what keeps it from reading what is installed on the machine.
    var environment: [String: String] = [:]
    /// Where it starts; where the tests run when nil.
    var directory: String?
    /// A program that becomes this one, with its arguments: `["setpriv", "--reuid", "65534"]`.
    var prefix: [String] = []

    static var pruned: Program { Program(path: builtPrograms + "/pruned") }
    static var reader: Program { Program(path: builtPrograms + "/reader") }

    /// `$PRUNED_BIN_DIR`, else where the programs are built together with these tests.
    static let builtPrograms: String = {
        if let directory = ProcessInfo.processInfo.environment["PRUNED_BIN_DIR"] { return directory }
        let tests = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return ((tests ?? ".") as NSString).deletingLastPathComponent
    }()

    /// Starts it. `feeds`: whether its standard input is written with ``RunningProgram/feed(_:)``; else it is empty.
    func start(feeds: Bool = false) throws -> RunningProgram {
        try RunningProgram(self, feeds: feeds)
    }

    /// Runs it to its end; throws ``ProgramTookTooLong`` after `seconds`.
    func run(seconds: Double = 240) throws -> EndedProgram {
        try start().wait(seconds: seconds)
    }

    /// The whole command line.
    var line: [String] { prefix + [path] + arguments }
}

/// A program that has ended.
struct EndedProgram: CustomStringConvertible {
    let line: [String]
    /// Its exit status; 128 and the signal's number when a signal ended it, as a shell says it.
    let status: Int32
    let output: String
    let errors: String

    /// What a failed expectation shows.
    var description: String {
        "`\(line.joined(separator: " "))` ended with \(status)\nstdout: \(output)\nstderr: \(errors)"
    }

    /// Throws unless it succeeded.
    @discardableResult
    func checked() throws -> EndedProgram {
        guard status == 0 else { throw ProgramFailed(program: self) }
        return self
    }
}

/// A program failed that a test relies on.
struct ProgramFailed: Error, CustomStringConvertible {
    let program: EndedProgram
    var description: String { program.description }
}

/// A program was killed because it did not end.
struct ProgramTookTooLong: Error, CustomStringConvertible {
    let line: [String]
    let seconds: Double
    let errors: String
    var description: String {
        "`\(line.joined(separator: " "))` did not end within \(seconds) s\nstderr: \(errors)"
    }
}
