import Archive
import Foundation
import MariaDBPruning
import Pruning
import Retention
import TestSupport

/// How a database of MariaDB has its times.
protocol MariaDBTimes {
    static var dialect: CaseDialect { get }
}

enum MariaDBInstants: MariaDBTimes { static let dialect = CaseDialect.mariaDB }
enum MariaDBWallTimes: MariaDBTimes { static let dialect = CaseDialect.mariaDBWall }

struct MariaDBCaseDatabase<Times: MariaDBTimes>: CaseDatabase {
    static var dialect: CaseDialect { Times.dialect }
    private let database: MariaDBDatabase

    init(_ statements: [String]) throws {
        // Rows that refer to each other come in any order.
        database = try MariaDBServer.shared.createDatabase(
            CaseDialect.mariaDBSession + "SET SESSION foreign_key_checks = 0;\n"
                + statements.joined(separator: ";\n"))
    }

    var place: String { "url = \"\(database.url)\"" }

    func store(
        _ definition: StoreDefinition, _ rules: [RetentionRule], _ archive: ArchiveFile
    ) -> any PrunableStore {
        MariaDBStore(
            definition, url: database.url, archive: archive, rules: rules,
            monotonic: systemMonotonic)
    }

    func execute(_ sql: String) throws { try database.run(CaseDialect.mariaDBSession + sql) }

    func rows(of table: CaseTable, literals: [String]?) throws -> [(key: String, text: String)] {
        let names = table.columns.map { Self.dialect.quoted($0.name) }
        let values = names.map { "QUOTE(\($0))" }.joined(separator: ", ")
        // One text of all of them is read in a tenth of the time.
        let all = try database.run(
            CaseDialect.mariaDBSession + "SET SESSION group_concat_max_len = 100000000;\n"
                + source(table, literals)
                + "SELECT GROUP_CONCAT(coalesce(\(names[0]), 'NULL') || x'09' || CONCAT_WS(' ', \(values)) "
                + "SEPARATOR x'0A') FROM \(table.name)")
        return (all.first?.first ?? nil)?.components(separatedBy: "\n").map { line in
            let parts = line.split(separator: "\t", maxSplits: 1, omittingEmptySubsequences: false)
            return (String(parts[0]), String(parts.last ?? ""))
        } ?? []
    }
}
