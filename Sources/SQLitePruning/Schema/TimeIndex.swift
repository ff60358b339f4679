import Retention
import SQLite

/// How a table's rows can be found by time.
enum TimeIndex: Equatable {
    /// An index on the column.
    case exact
    /// An index on the column's day: `column / perDay`. Entries of one day stand in key order, which is what lets a
    /// walk in key order write them sequentially, too.
    case byDay(perDay: Int64)

    /// Asks SQLite's query planner which of the two the table has.
    static func find(
        table: TableSchema, column: String, unit: TimeUnit, in db: Database
    ) throws -> TimeIndex? {
        let column = table.column(column)
        if try isSearched("\(column) < 0", table: table, in: db) { return .exact }
        let byDay = TimeIndex.byDay(perDay: 86_400 * unit.perSecond)
        return try isSearched("\(byDay.entry(of: column)) < 0", table: table, in: db) ? byDay : nil
    }

    /// SQL for what the index holds of a column's value.
    func entry(of column: String) -> String {
        switch self {
        case .exact: column
        case .byDay(let perDay): "\(column) / \(perDay)"
        }
    }

    /// Whether SQLite would look `condition` up in an index or a key, rather than scan `table`.
    static func isSearched(_ condition: String, table: TableSchema, in db: Database) throws -> Bool {
        let steps = try db.queryPlan(
            of: "SELECT 1 FROM \(table.name.quotedIdentifier) WHERE \(condition)")
        return steps.allSatisfy { $0.hasPrefix("SEARCH") }
    }
}
