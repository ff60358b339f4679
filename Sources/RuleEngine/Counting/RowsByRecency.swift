import FoundationEssentials
import Pruning
import Retention

/// Counts the rows that are newer than all those that a task would delete.
package struct RowsByRecency<Condition: ExpirySQL> {
    private let condition: Condition
    private let ask: Asking

    package init(condition: Condition, ask: @escaping Asking) {
        (self.condition, self.ask) = (condition, ask)
    }

    /// Nil if no row would go, or if the rule has no time. Counts at most `enough` rows; nil counts all, and also those with
    /// a plausible time.
    package func take(enough: Int64?) throws -> Recency? {
        guard let time = condition.time else { return nil }
        let found = try ask(
            condition.question(
                "\(time.sql), \(time.second)", where: [condition.expired], joined: true,
                " ORDER BY \(time.sql) DESC LIMIT 1"))
        guard let newest = found.first?[0], let second = found.first?[1].flatMap(Double.init) else {
            return nil
        }
        let newer = try count(["\(time.sql) > \(time.value(newest))"], limit: enough, of: time)
        let timed = try enough == nil ? count([], limit: nil, of: time) : nil
        return Recency(newestExpired: Date(timeIntervalSince1970: second), newer: newer, timed: timed)
    }

    private func count(_ terms: [String], limit: Int64?, of time: Condition.Time) throws -> Int64 {
        let from = condition.from()
        let place = (terms + [time.isPlausible] + condition.notGone).joined(separator: " AND ")
        let rows = "SELECT 1 \(from) WHERE \(place)\(limit.map { " LIMIT \($0)" } ?? "")"
        let found = try ask("\(condition.with(of: from))SELECT count(*) FROM (\(rows)) AS newer")
        return found.first?[0].flatMap { Int64($0) } ?? 0
    }
}
