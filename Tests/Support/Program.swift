import Foundation

/// A program as a user would start it: arguments, environment, directory.
package struct Program: Sendable {
    /// Its path, or its name when it is on `PATH`.
    package var path: String
    package var arguments: [String]
    /// Its environment, beside `PATH` and what keeps it from reading what is installed on the machine.
    package var environment: [String: String]
    /// Where it starts; where the tests run when nil.
    package var directory: String?
    /// A program that becomes this one, with its arguments: `["setpriv", "--reuid", "65534"]`.
    package var prefix: [String]

    package init(
        path: String, arguments: [String] = [], environment: [String: String] = [:], directory: String? = nil,
        prefix: [String] = []
    ) {
        (self.path, self.arguments, self.environment) = (path, arguments, environment)
        (self.directory, self.prefix) = (directory, prefix)
    }

    /// A program of the system's, from its name or path and its arguments. It starts where no test has files.
    package init(_ line: [String]) {
        self.init(
            path: line[0], arguments: Array(line.dropFirst()), environment: ["LC_ALL": "C.UTF-8"],
            directory: "/")
    }

    /// `$PRUNED_BIN_DIR`, else where the programs are built together with these tests.
    package static let builtPrograms: String = {
        if let directory = ProcessInfo.processInfo.environment["PRUNED_BIN_DIR"] { return directory }
        let tests = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return ((tests ?? ".") as NSString).deletingLastPathComponent
    }()

    package static var pruned: Program { Program(path: builtPrograms + "/pruned") }
    package static var reader: Program { Program(path: builtPrograms + "/reader") }

    /// The whole command line.
    package var line: [String] { prefix + [path] + arguments }

    /// All of its environment.
    package var wholeEnvironment: [String: String] {
        environment.merging(Self.isolation) { given, _ in given }
    }

    private static let isolation = [
        "PATH": "/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        "CONFIGURATION_DIRECTORY": "/nonexistent/etc", "XDG_DATA_DIRS": "/nonexistent/share",
    ]

    /// Starts it. `feeds`: whether its standard input is written with ``RunningProgram/feed(_:)``; else it is empty.
    package func start(feeds: Bool = false) throws -> RunningProgram {
        try RunningProgram(self, feeds: feeds)
    }

    /// Runs it to its end; throws ``ProgramTookTooLong`` after `seconds`.
    package func run(seconds: Double = 240) throws -> EndedProgram {
        try start().wait(seconds: seconds)
    }

    /// Runs it to its end with `input`; throws unless it succeeds. What it wrote, without the last line's end.
    @discardableResult
    package func answer(to input: String = "", seconds: Double = 240) throws -> String {
        let output = try RunningProgram(self, input: input).wait(seconds: seconds).checked().output
        return output.hasSuffix("\n") ? String(output.dropLast()) : output
    }
}

/// A program that has ended.
package struct EndedProgram: CustomStringConvertible, Sendable {
    package let line: [String]
    /// Its exit status; 128 and the signal's number when a signal ended it, as a shell says it.
    package let status: Int32
    package let output: String
    package let errors: String

    package init(line: [String], status: Int32, output: String, errors: String) {
        (self.line, self.status, self.output, self.errors) = (line, status, output, errors)
    }

    /// What a failed expectation shows.
    package var description: String {
        "`\(line.joined(separator: " "))` ended with \(status)\nstdout: \(output)\nstderr: \(errors)"
    }

    /// Throws unless it succeeded.
    @discardableResult
    package func checked() throws -> EndedProgram {
        guard status == 0 else { throw ProgramFailed(program: self) }
        return self
    }
}

/// A program failed that a test relies on.
package struct ProgramFailed: Error, CustomStringConvertible {
    package let program: EndedProgram
    package var description: String { program.description }
    package var errors: String { program.errors }

    package init(program: EndedProgram) { self.program = program }

    /// One that was to go on, and ended after it wrote `output`.
    package init(_ name: String, _ output: String, status: Int32 = 1) {
        self.init(program: EndedProgram(line: [name], status: status, output: output, errors: ""))
    }
}

/// A program was killed because it did not end.
package struct ProgramTookTooLong: Error, CustomStringConvertible {
    package let line: [String]
    package let seconds: Double
    package let errors: String
    package var description: String {
        "`\(line.joined(separator: " "))` did not end within \(seconds) s\nstderr: \(errors)"
    }
}
