import FoundationEssentials
import Retention
import SQLite

/// Counts the rows that are newer than all those that a task would delete.
struct RowsByRecency {
    let condition: ExpiryCondition

    private var table: String { condition.bound.table.name.quotedIdentifier }
    private var column: String { condition.column }

    /// Nil if no row would go, or if the rule has no time. Counts at most `enough` rows; nil counts all, and also those with
    /// a plausible time.
    func take(enough: Int64?, in db: Database) throws -> Recency? {
        guard condition.bound.time != nil, let newest = try newestExpired(in: db) else { return nil }
        let values = condition.values(and: ["newest": newest.time])
        let newer = try count(after: ":newest", limit: enough, values, in: db)
        let timed = try enough == nil ? count(after: nil, limit: nil, values, in: db) : nil
        return Recency(
            newestExpired: condition.format.date(of: newest.whole), newer: newer, timed: timed)
    }

    private func newestExpired(in db: Database) throws -> (time: DatabaseValue, whole: Int64)? {
        let order = [condition.bound.timeIndex?.entry(of: column), column].compactMap {
            $0.map { $0 + " DESC" }
        }
        let terms = condition.withinWindow + [condition.expired]
        let row = try db.row(
            """
            SELECT \(column), \(condition.wholeTime) FROM \(table) WHERE \(terms.joined(separator: " AND ")) \
            ORDER BY \(order.joined(separator: ", ")) LIMIT 1
            """, condition.values())
        return row.map { ($0[0], $0[1].integer) }
    }

    private func count(
        after first: String?, limit: Int64?, _ values: [String: DatabaseValue], in db: Database
    ) throws -> Int64 {
        let lower = first ?? ":lowest"
        let days: [String] =
            if case .byDay(let perDay) = condition.bound.timeIndex {
                ["\(column) / \(perDay) BETWEEN \(lower) / \(perDay) AND :highest / \(perDay)"]
            } else { [] }
        let times = [
            first.map { "\(column) > \($0)" } ?? "\(column) >= :lowest", "\(column) <= :highest",
            condition.isNumber,
        ]
        let place = (days + times + condition.notGone).joined(separator: " AND ")
        let rows = limit.map { "(SELECT 1 FROM \(table) WHERE \(place) LIMIT \($0))" }
        return try db.value(
            "SELECT count(*) FROM " + (rows ?? "\(table) WHERE \(place)"), values
        ).integer
    }
}
