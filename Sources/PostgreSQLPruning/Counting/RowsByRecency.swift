import FoundationEssentials
import Retention

/// Counts the rows that are newer than all those that a task would delete.
struct RowsByRecency {
    let condition: ExpiryCondition

    /// Nil if no row would go, or if the rule has no time. Counts at most `enough` rows; nil counts all, and also those with
    /// a plausible time.
    func take(enough: Int64?, in connection: Connection) throws -> Recency? {
        guard let time = condition.bound.time else { return nil }
        let from = condition.from()
        let found = try connection.query(
            """
            \(condition.with(of: from))SELECT \(time.sql)::text, \(time.second) \(from)\(condition.join) \
            WHERE \(condition.expired) ORDER BY \(time.sql) DESC LIMIT 1
            """)
        guard found.count > 0, let newest = found.text(0, 0), let second = found.integer(0, 1) else {
            return nil
        }
        let newer = try count(
            ["\(time.sql) > $1::\(time.typeName)"], [newest], limit: enough, of: time, in: connection)
        let timed = try enough == nil ? count([], [], limit: nil, of: time, in: connection) : nil
        return Recency(
            newestExpired: Date(timeIntervalSince1970: Double(second)), newer: newer, timed: timed)
    }

    private func count(
        _ terms: [String], _ values: [String], limit: Int64?, of time: TimeColumn, in connection: Connection
    ) throws -> Int64 {
        let from = condition.from()
        let place = (terms + [time.isPlausible] + condition.notGone).joined(separator: " AND ")
        return try connection.query(
            """
            \(condition.with(of: from))SELECT count(*) FROM (SELECT 1 \(from) WHERE \(place)\
            \(limit.map { " LIMIT \($0)" } ?? "")) AS newer
            """, values
        ).integer(0, 0) ?? 0
    }
}
