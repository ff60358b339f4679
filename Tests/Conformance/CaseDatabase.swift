import Archive
import Foundation
import GRDB
import PostgreSQLPruning
import Pruning
import TestSupport
import Retention
import SQLitePruning

/// A database of an engine with the tables of a case.
protocol CaseDatabase {
    static var dialect: CaseDialect { get }

    init(_ statements: [String]) throws

    /// What a configuration says of its place.
    var place: String { get }

    func store(
        _ definition: StoreDefinition, _ rules: [RetentionRule], _ archive: ArchiveFile
    ) throws -> any PrunableStore

    /// As its app.
    func execute(_ sql: String) throws

    /// The rows of a table: of each, its first column and all of its values as a text. What is read is another source than
    /// the table if `literals` has its rows.
    func rows(of table: CaseTable, literals: [String]?) throws -> [(key: String, text: String)]
}

extension CaseDatabase {
    /// What a query begins with that reads `literals`.
    func source(_ table: CaseTable, _ literals: [String]?) -> String {
        literals.map {
            "WITH \(table.name) (\(table.columns.map { Self.dialect.quoted($0.name) }.joined(separator: ", "))) AS "
                + "(VALUES \($0.joined(separator: ", "))) "
        } ?? ""
    }
}

struct SQLiteCaseDatabase: CaseDatabase {
    static let dialect = CaseDialect.sqlite
    private let file: TemporaryStore

    init(_ statements: [String]) throws { try self.init(statements, journal: "WAL") }

    fileprivate init(_ statements: [String], journal: String) throws {
        // SQLite wants a name for each index.
        let named = statements.enumerated().map {
            $1.replacing("CREATE INDEX ON", with: "CREATE INDEX index_\($0) ON")
        }
        file = try TemporaryStore("PRAGMA journal_mode = \(journal); " + named.joined(separator: ";\n"))
    }

    var place: String { "path = \"\(file.path)\"" }

    func store(
        _ definition: StoreDefinition, _ rules: [RetentionRule], _ archive: ArchiveFile
    ) -> any PrunableStore {
        SQLiteStore(
            definition, path: file.path, holder: "a test", archive: archive, rules: rules,
            monotonic: systemMonotonic)
    }

    func execute(_ sql: String) throws { try file.execute(sql) }

    func rows(of table: CaseTable, literals: [String]?) throws -> [(key: String, text: String)] {
        let values = table.columns.map { "quote(\($0.name))" }.joined(separator: " || ' ' || ")
        return try file.open { db in
            try Row.fetchAll(
                db,
                sql: source(table, literals)
                    + "SELECT CAST(\(table.columns[0].name) AS TEXT), \(values) FROM \(table.name)"
            ).map { ($0[0] ?? "NULL", $0[1]) }
        }
    }
}

/// A SQLite file without a write-ahead log.
struct JournalCaseDatabase: CaseDatabase {
    static let dialect = CaseDialect.sqlite
    private let database: SQLiteCaseDatabase

    init(_ statements: [String]) throws { database = try SQLiteCaseDatabase(statements, journal: "DELETE") }

    var place: String { database.place }

    func store(
        _ definition: StoreDefinition, _ rules: [RetentionRule], _ archive: ArchiveFile
    ) -> any PrunableStore { database.store(definition, rules, archive) }

    func execute(_ sql: String) throws { try database.execute(sql) }

    func rows(of table: CaseTable, literals: [String]?) throws -> [(key: String, text: String)] {
        try database.rows(of: table, literals: literals)
    }
}

struct PostgreSQLCaseDatabase: CaseDatabase {
    static let dialect = CaseDialect.postgreSQL
    private let database: OwnedDatabase

    init(_ statements: [String]) throws {
        database = try OwnedDatabase((statements + ["ANALYZE"]).joined(separator: ";\n"))
    }

    private var url: String { database.database.url(user: database.role) }

    var place: String { "url = \"\(url)\"" }

    func store(
        _ definition: StoreDefinition, _ rules: [RetentionRule], _ archive: ArchiveFile
    ) -> any PrunableStore {
        PostgreSQLStore(
            definition, url: url, holder: "a test", archive: archive, rules: rules,
            monotonic: systemMonotonic)
    }

    func execute(_ sql: String) throws { try database.psql(sql) }

    func rows(of table: CaseTable, literals: [String]?) throws -> [(key: String, text: String)] {
        let values = table.columns.map(\.name).joined(separator: ", ")
        return try database.psql(
            source(table, literals) + "SELECT coalesce(\(table.columns[0].name)::text, 'NULL') || chr(9) "
                + "|| ROW(\(values))::text FROM \(table.name)"
        ).split(separator: "\n").map { line in
            let parts = line.split(separator: "\t", maxSplits: 1, omittingEmptySubsequences: false)
            return (String(parts[0]), String(parts.last ?? ""))
        }
    }
}
