import Foundation
import TestSupport
import Testing

/// A database that a real app made, with what its preset must delete, worked out without pruned.
///
/// The directory in `PRUNED_REAL_DATABASES` has `NAME.sqlite`, `NAME.sql.gz` (a plain `pg_dump`) or `NAME.sql` (a
/// `mariadb-dump`) beside each `NAME.expected.json`. It is no part of the sources.
struct RealDatabase: Sendable, CustomTestStringConvertible {
    struct Expectation: Decodable {
        let preset: String
        let table: String
        /// The clock, in seconds since 1970.
        let now: Int
        let keep: String
        /// The keys of the rows that go, or are marked.
        let goes: [Int]
        /// The numbers of rows that stay, by the first reason.
        let stays: [String: Int]
        /// SQL that is true of a marked row; nil if rows are deleted.
        let mark: String?
        /// What the store needs beside its preset.
        let store: [String: String]?
        /// Keys of the rule, with lists of texts, that go over the preset's.
        let override: [String: [String]]?

        /// The numbers of rows that are old enough and stay. FreshRSS's labels are another table's, so its labelled rows are
        /// counted with the newest.
        var old: [Int] {
            let last: Set = preset.hasPrefix("freshrss") ? ["labelled", Self.newest] : [Self.newest]
            let old = stays.filter { !["too young", "no time"].contains($0.key) }
            let sum = old.filter { last.contains($0.key) }.values.reduce(0, +)
            return old.filter { !last.contains($0.key) }.map(\.value) + (sum > 0 ? [sum] : [])
        }

        private static let newest = "newest of its feed"
    }

    let name: String
    private let path: String

    static let directory = ProcessInfo.processInfo.environment["PRUNED_REAL_DATABASES"]

    static let all: [RealDatabase] = {
        guard let directory else { return [] }
        let suffix = ".expected.json"
        let files = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        return files.filter { $0.hasSuffix(suffix) }.sorted().map {
            let name = String($0.dropLast(suffix.count))
            return RealDatabase(name: name, path: directory + "/" + name)
        }
    }()

    var testDescription: String { name }

    /// Those whose time has come: nobody moves a server's clock, and a run is held while that is behind.
    static let due = all.filter { real in
        let isFile = FileManager.default.fileExists(atPath: real.path + ".sqlite")
        return isFile
            || (try? real.expectation()).map { Double($0.now) < Date().timeIntervalSince1970 } ?? true
    }

    func expectation() throws -> Expectation {
        try JSONDecoder().decode(
            Expectation.self, from: Data(contentsOf: URL(filePath: path + ".expected.json")))
    }

    /// Puts it where a test may change it.
    func restored(in sandbox: Sandbox) throws -> RestoredDatabase {
        guard FileManager.default.fileExists(atPath: path + ".sqlite") else {
            if FileManager.default.fileExists(atPath: path + ".sql") {
                return .mariadb(try RestoredMariaDB(dump: path + ".sql"))
            }
            return .postgresql(try RestoredServerDatabase(dump: path + ".sql.gz"))
        }
        let copy = sandbox.path + "/app.db"
        try FileManager.default.copyItem(atPath: path + ".sqlite", toPath: copy)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: copy)
        return .sqlite(Database(path: copy))
    }
}

/// A copy of a real app's database.
enum RestoredDatabase {
    case sqlite(Database)
    case postgresql(RestoredServerDatabase)
    case mariadb(RestoredMariaDB)

    /// The line of a store's table that says where it is.
    var place: String {
        switch self {
        case .sqlite(let file): "path = \"\(file.path)\""
        case .postgresql(let server): "url = \"\(server.url)\""
        case .mariadb(let server): "url = \"\(server.url)\""
        }
    }

    /// The keys of the rows of a table of which `condition` is true.
    func keys(of table: String, where condition: String = "1 = 1") throws -> Set<Int> {
        let text: String
        switch self {
        case .sqlite(let file):
            let key = try file.query("SELECT name FROM pragma_table_info('\(table)') WHERE pk = 1")
            text = try file.query("SELECT \(key) FROM \"\(table)\" WHERE \(condition)")
        case .postgresql(let server):
            let key = try server.psql(
                """
                SELECT a.attname FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]
                WHERE i.indisprimary AND i.indrelid = '"\(table)"'::regclass
                """)
            text = try server.psql("SELECT \(key) FROM \"\(table)\" WHERE \(condition)")
        case .mariadb(let server): return try server.keys(of: table, where: condition)
        }
        return Set(text.split(separator: "\n").compactMap { Int($0) })
    }
}

/// A dump in a server of the tests': one role owns the tables, another one prunes them.
struct RestoredServerDatabase {
    private let database: PostgreSQLDatabase
    private let owner: String
    private let role: String

    init(dump: String) throws {
        let server = try PostgreSQLServer.shared
        (owner, role) = (try server.createRole(), try server.createRole())
        database = try server.createDatabase("ALTER SCHEMA public OWNER TO \(owner)", owner: owner)
        let text = try Program(path: "gunzip", arguments: ["-c", dump]).run().checked().output
        try database.psql(text, user: owner)
        try database.psql(
            "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO \(role); ANALYZE",
            user: owner)
    }

    var url: String { database.url(user: role) }

    func psql(_ sql: String) throws -> String { try database.psql(sql, user: owner) }
}

/// A dump in a MariaDB of the tests', and a user who prunes it.
struct RestoredMariaDB {
    private let database: MariaDBDatabase
    private let user: String

    init(dump: String) throws {
        database = try MariaDBServer.shared.createDatabase()
        try database.run(String(contentsOfFile: dump, encoding: .utf8))
        user = try database.createUser("SELECT, INSERT, UPDATE, DELETE, TRIGGER")
        try database.run("GRANT PROCESS ON *.* TO \(user)@localhost")
    }

    var url: String { database.url(user: user) }

    /// The values of the first column of the key.
    func keys(of table: String, where condition: String) throws -> Set<Int> {
        let key =
            try database.run(
                """
                SELECT COLUMN_NAME FROM information_schema.STATISTICS WHERE TABLE_SCHEMA = DATABASE()
                AND TABLE_NAME = '\(table)' AND INDEX_NAME = 'PRIMARY' AND SEQ_IN_INDEX = 1
                """
            ).first?.first ?? nil
        let rows = try database.run("SELECT `\(key ?? "")` FROM `\(table)` WHERE \(condition)")
        return Set(rows.compactMap { $0.first?.flatMap { Int($0) } })
    }
}
