import GRDB
import Pruning

/// Counts a task's rows, reading no more of the table than the question needs.
struct TableCensus {
    let condition: ExpiryCondition

    func take(in db: Database) throws -> Census {
        let table = condition.bound.table.name.quotedIdentifier
        if let implausible = condition.implausibleByTime {
            let expired = (condition.withinWindow + [condition.expired]).joined(separator: " AND ")
            return Census(
                expired: try count("FROM \(table) WHERE \(expired)", in: db),
                implausible: try count("FROM \(table) WHERE \(implausible)", in: db))
        }
        let statement = try db.makeStatement(
            sql: """
                SELECT count(*) FILTER (WHERE \(condition.expired)),
                       count(*) FILTER (WHERE \(condition.implausible))
                FROM \(table)
                """)
        condition.bind(to: statement)
        let row = try Row.fetchOne(statement)
        return Census(expired: row?[0] ?? 0, implausible: row?[1] ?? 0)
    }

    private func count(_ rest: String, in db: Database) throws -> Int64 {
        let statement = try db.makeStatement(sql: "SELECT count(*) " + rest)
        condition.bind(to: statement)
        return try Int64.fetchOne(statement) ?? 0
    }
}
