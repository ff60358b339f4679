import SQLite

extension Database {
    /// The statement that creates an index, under a name that is not taken. A part without a collation has that of its
    /// column.
    func indexStatement(on table: String, _ parts: [(column: String, collation: String?)]) throws -> String {
        let columns = parts.map { column, collation in
            column.quotedIdentifier + (collation.map { " COLLATE " + $0.quotedIdentifier } ?? "")
        }
        return "CREATE INDEX \(try freeName([table] + parts.map(\.column)).quotedIdentifier) ON"
            + " \(table.quotedIdentifier) (\(columns.joined(separator: ", ")));"
    }

    private func freeName(_ words: [String]) throws -> String {
        let name = words.joined(separator: "_")
        let taken = Set(try rows("SELECT name FROM sqlite_schema").map(\.[0].string.comparedName))
        let names = [name] + (2..<100).map { "\(name)_\($0)" }
        return names.first { !taken.contains($0.comparedName) } ?? name
    }

    /// Whether a table has at most 10,000 rows, so that each statement may read all of it without an index. With a
    /// larger one, a batch took 11 seconds.
    func hasFewRows(_ table: String) throws -> Bool {
        let most: Int64 = 10_000
        return try value("SELECT count(*) FROM (SELECT 1 FROM \(table.quotedIdentifier) LIMIT \(most + 1))")
            .integer
            <= most
    }
}
