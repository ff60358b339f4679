import Retention
import SQLite

/// The kind of index by which a table's rows can be found by time.
enum TimeIndex: Equatable {
    /// An index on the column.
    case exact
    /// An index on the column's day: `column / perDay`. Entries of one day are in key order, so a walk in key order
    /// also writes them sequentially.
    case byDay(perDay: Int64)

    /// Asks SQLite's query planner which kind of index the table has.
    static func find(
        table: TableSchema, column: String, _ format: TimeFormat, in db: Database
    ) throws -> TimeIndex? {
        let column = table.column(column)
        if try isSearched("\(column) < 0", table: table, in: db) { return .exact }
        let byDay = TimeIndex.byDay(perDay: format.length(of: 86_400))
        return try isSearched("\(byDay.entry(of: column)) < 0", table: table, in: db) ? byDay : nil
    }

    /// SQL for the value that the index stores for a column's value.
    func entry(of column: String) -> String {
        switch self {
        case .exact: column
        case .byDay(let perDay): "\(column) / \(perDay)"
        }
    }

    /// Whether SQLite would find the rows of `condition` by an index or a key, instead of scanning `table`.
    static func isSearched(_ condition: String, table: TableSchema, in db: Database) throws -> Bool {
        let steps = try db.queryPlan(
            of: "SELECT 1 FROM \(table.name.quotedIdentifier) WHERE \(condition)")
        return steps.allSatisfy { $0.hasPrefix("SEARCH") }
    }
}
