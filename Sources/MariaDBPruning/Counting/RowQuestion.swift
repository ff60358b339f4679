import FoundationEssentials
import Pruning
import Retention
import RuleEngine

/// Asks of one row everything that a rule asks before it takes a row.
struct RowQuestion {
    let condition: ExpiryCondition

    private var bound: BoundRule { condition.bound }

    /// The judgement of the row with this key; nil if there is no such row.
    func answer(_ key: [String], in connection: Connection) throws -> RowJudgement? {
        let (relation, names) = (bound.relation, bound.relation.primaryKey)
        try RowTest.requireKey(names, given: key.count, of: relation.description, place: connection.place)
        // Compared as texts, lest a text that is no number be taken for 0.
        let terms = zip(names, key).map { name, value in
            "CONVERT(\(relation.column(name)) USING utf8mb4) COLLATE utf8mb4_nopad_bin = \(value.quotedLiteral)"
        }
        let tests = condition.reasons.tests(true: "TRUE", false: "FALSE")
        let found = try connection.query(
            condition.question((facts + tests.map(\.sql)).joined(separator: ", "), where: terms, joined: true)
        )
        guard found.count > 0 else { return nil }
        let isPlausible = found.isTrue(0, 2)
        let time = isPlausible ? found.integer(0, 1).map { Date(timeIntervalSince1970: Double($0)) } : nil
        let checks = tests.enumerated().map { index, test in
            test.check(found.integer(0, 5 + index).map { $0 != 0 })
        }
        return RowJudgement(
            value: bound.time.flatMap { _ in found.text(0, 0) ?? "NULL" }, time: time,
            expiresAt: time.map { bound.rule.expiry.firstExpiry(of: $0, in: condition.task.timeZone) },
            isDone: found.isTrue(0, 4),
            checks: RowTest.timeCheck(
                of: bound.rule, isPast: isPlausible ? found.isTrue(0, 3) : nil, times: "plausible time")
                + checks,
            refusing: bound.refusing)
    }

    /// The row's time, and whether it is marked. ``answer(_:in:)`` reads them in this order.
    private var facts: [String] {
        let isMarked = bound.mark?.isSet(in: bound.relation) ?? "FALSE"
        guard let time = bound.time else { return ["NULL", "NULL", "FALSE", "FALSE", isMarked] }
        return [
            time.sql, "CASE WHEN \(time.isPlausible) THEN \(time.second) END", time.isPlausible,
            "\(time.isPlausible) AND \(time.isBefore(condition.task.cutoff))", isMarked,
        ]
    }
}
