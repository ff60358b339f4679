import TestSupport

extension Program {
    /// SQL on a store, by the `sqlite3` program; throws when that fails.
    static func sqlite(_ path: String, _ sql: String, through prefix: [String] = []) throws {
        try Program(prefix + ["sqlite3", "-bail", "-cmd", ".timeout 5000", path, sql]).answer()
    }
}
