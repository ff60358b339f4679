import TestSupport

/// A program whose run is measured.
extension Program {
    init(_ path: String, _ arguments: [String] = []) {
        self.init(path: path, arguments: arguments)
        inherits = true
    }

    /// The `sqlite3` program, without the user's settings. It stops at the first error.
    static func sqlite3(_ database: String, _ sql: String) -> Program {
        Program("sqlite3", ["-init", "/dev/null", "-batch", "-bail", database, sql])
    }

    /// Runs it to its end, however late that is.
    func measured() throws -> EndedProgram { try run(seconds: 86_400) }
}
