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
        _ definition: StoreDefinition, _ rules: [RetentionRule], _ archive: SQLiteArchive
    ) throws -> any PrunableStore

    /// The rows of a table: of each, its first column and all of its values as a text.
    func rows(of table: CaseTable) throws -> [(key: String, text: String)]
}

struct SQLiteCaseDatabase: CaseDatabase {
    static let dialect = CaseDialect.sqlite
    private let file: TemporaryStore

    init(_ statements: [String]) throws {
        // SQLite wants a name for each index.
        let named = statements.enumerated().map {
            $1.replacing("CREATE INDEX ON", with: "CREATE INDEX index_\($0) ON")
        }
        file = try TemporaryStore("PRAGMA journal_mode = WAL; " + named.joined(separator: ";\n"))
    }

    var place: String { "path = \"\(file.path)\"" }

    func store(
        _ definition: StoreDefinition, _ rules: [RetentionRule], _ archive: SQLiteArchive
    ) -> any PrunableStore {
        SQLiteStore(
            definition, path: file.path, holder: "a test", archive: archive, rules: rules,
            monotonic: systemMonotonic)
    }

    func rows(of table: CaseTable) throws -> [(key: String, text: String)] {
        let values = table.columns.map { "quote(\($0.name))" }.joined(separator: " || ' ' || ")
        return try file.open { db in
            try Row.fetchAll(
                db, sql: "SELECT CAST(\(table.columns[0].name) AS TEXT), \(values) FROM \(table.name)"
            ).map { ($0[0] ?? "NULL", $0[1]) }
        }
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
        _ definition: StoreDefinition, _ rules: [RetentionRule], _ archive: SQLiteArchive
    ) -> any PrunableStore {
        PostgreSQLStore(
            definition, url: url, holder: "a test", archive: archive, rules: rules,
            monotonic: systemMonotonic)
    }

    func rows(of table: CaseTable) throws -> [(key: String, text: String)] {
        try database.psql(
            "SELECT \(table.columns[0].name)::text || chr(9) || row::text FROM \(table.name) AS row"
        ).split(separator: "\n").map { line in
            let parts = line.split(separator: "\t", maxSplits: 1, omittingEmptySubsequences: false)
            return (String(parts[0]), String(parts.last ?? ""))
        }
    }
}
