import Foundation

/// A program as a user would start it: arguments, environment, directory.
package struct Program: Sendable {
    /// Its path, or its name when it is on `PATH`.
    package var path: String
    package var arguments: [String]
    /// Its environment, beside `PATH` and what keeps it from reading what is installed on the machine.
    package var environment: [String: String]
    /// Whether it has the environment of this process instead of these.
    package var inherits = false
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
    package init(_ line: [String], inherits: Bool = false) {
        self.init(
            path: line[0], arguments: Array(line.dropFirst()), environment: ["LC_ALL": "C.UTF-8"],
            directory: "/")
        self.inherits = inherits
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
        environment.merging(inherits ? ProcessInfo.processInfo.environment : Self.isolation) { given, _ in
            given
        }
    }

    private static let isolation = [
        "PATH": "/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        "CONFIGURATION_DIRECTORY": "/nonexistent/etc", "XDG_DATA_DIRS": "/nonexistent/share",
    ]

    /// Starts it. `feeds`: whether its standard input is written with ``RunningProgram/feed(_:)``; else it is empty.
    package func start(feeds: Bool = false) throws -> RunningProgram {
        try RunningProgram(self, feeds: feeds)
    }

    /// Runs it to its end with `input`; throws ``ProgramTookTooLong`` after `seconds`.
    package func run(_ input: String = "", seconds: Double = 240) throws -> EndedProgram {
        try RunningProgram(self, input: input).wait(seconds: seconds)
    }

    /// Runs it to its end with `input`; throws unless it succeeds. What it wrote, without the last line's end.
    @discardableResult
    package func answer(to input: String = "", seconds: Double = 240) throws -> String {
        try run(input, seconds: seconds).answer()
    }
}
