import TestSupport
import Foundation

/// A database as the `sqlite3` program sees it: another process, and another opinion.
struct Database {
    let path: String
    /// A program that becomes `sqlite3`, with its arguments.
    var prefix: [String] = []

    /// The program on this database. It stops at the first error.
    var program: Program {
        Program(
            path: "sqlite3",
            arguments: ["-init", "/dev/null", "-batch", "-bail", "-cmd", ".timeout 5000", path],
            prefix: prefix)
    }

    /// Runs SQL; its output without the last newline.
    @discardableResult
    func query(_ sql: String) throws -> String {
        var program = program
        program.arguments.append(sql)
        return try program.run().checked().output.trimmingCharacters(in: .newlines)
    }

    /// An app that has the database open and does nothing with it, until it ends.
    func openedByApp() throws -> RunningProgram {
        let app = try program.start(feeds: true)
        try app.feed("SELECT count(*) FROM sqlite_schema;\n.print open\n")
        try eventually("an app has opened \(path)") { app.output.contains("open") }
        return app
    }

    /// The first value of a query's only row, a number.
    func count(_ sql: String) throws -> Int {
        let text = try query(sql)
        guard let number = Int(text) else { throw NotANumber(sql: sql, answer: text) }
        return number
    }

    /// The rows of each of `tables`.
    func rows(_ tables: [String]) throws -> [Int] {
        try tables.map { try count("SELECT count(*) FROM \($0)") }
    }

    /// "ok", or what is wrong with the file or its foreign keys.
    func health() throws -> String {
        try query("PRAGMA integrity_check; PRAGMA foreign_key_check")
    }
}

/// A query was to give a number.
struct NotANumber: Error {
    let sql: String
    let answer: String
}
