import Foundation
import TestSupport

/// A sample in a schema of a PostgreSQL database.
struct PostgreSQLSample: SampleStore {
    private let sample: RuleSample
    private let database: PostgreSQLDatabase

    init(_ sample: RuleSample, in database: PostgreSQLDatabase) {
        (self.sample, self.database) = (sample, database)
    }

    func execute(_ sql: String) throws { try database.psql(sql) }

    func content() throws -> StoreContent {
        let queries = sample.tables.map { table in
            let columns = sample.columns(of: table)
            let quoted = { (column: String) in "coalesce(quote_literal(\(column)), 'NULL')" }
            // Numbers without quotes, as in the statements that wrote them.
            let number = table == "gone" ? quoted(columns.number) : "\(columns.number)::text"
            let marked =
                columns.marked.isEmpty
                ? [] : ["coalesce(\(columns.marked[0])::text, 'NULL')", quoted(columns.marked[1])]
            let others = ["''"] + columns.others.map { "coalesce(\($0)::text, 'NULL')" }
            let list =
                ["'\(table)'", number] + marked + ["concat_ws(',', \(others.joined(separator: ", ")))"]
            return
                "SELECT json_build_array(\(list.joined(separator: ", "))) FROM \(sample.names.table(table));"
        }
        return StoreContent(lines: try database.psql(queries.joined(separator: "\n")), tables: sample.tables)
    }

    func damage() throws -> String? { nil }
}

extension StoreContent {
    /// Of lines that are arrays of JSON, led by the name of a table.
    fileprivate init(lines: String, tables names: [String]) {
        tables = Dictionary(uniqueKeysWithValues: names.map { ($0, []) })
        for line in lines.split(separator: "\n") {
            let row = (try? JSONDecoder().decode([String].self, from: Data(line.utf8))) ?? []
            guard let table = row.first else { continue }
            tables[table, default: []].insert(Array(row.dropFirst()))
        }
    }
}
