import Foundation

/// A command line.
struct Program {
    /// An absolute path, or a name to be found on `PATH`.
    let path: String
    var arguments: [String]
    /// Variables besides this process's own.
    var environment: [String: String] = [:]

    init(_ path: String, _ arguments: [String] = []) {
        self.path = path
        self.arguments = arguments
    }

    /// The `sqlite3` program, without the user's settings. It stops at the first error.
    static func sqlite3(_ database: String, _ sql: String) -> Program {
        Program("sqlite3", ["-init", "/dev/null", "-batch", "-bail", database, sql])
    }

    /// Runs it to its end.
    func run() throws -> EndedProgram {
        try RunningProgram(self).wait()
    }
}
