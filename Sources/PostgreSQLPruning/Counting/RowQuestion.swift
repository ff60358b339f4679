import FoundationEssentials
import Pruning
import Retention
import RuleEngine

/// Asks of one row everything that a rule asks before it takes a row.
struct RowQuestion {
    let condition: ExpiryCondition

    private var bound: BoundRule { condition.bound }
    private var rule: RetentionRule { condition.task.rule }
    private var relation: Relation { bound.relation }

    /// The judgement of the row with this key; nil if there is no such row.
    func answer(_ key: [String], in connection: Connection) throws -> RowJudgement? {
        let names = relation.primaryKey
        try RowTest.requireKey(names, given: key.count, of: relation.description, place: connection.place)
        let terms = names.indices.map { index in
            "\(relation.column(names[index])) = $\(index + 1)::\(relation[names[index]]?.baseType ?? "text")"
        }
        let from = condition.from()
        let rows = "\(from) WHERE \(terms.joined(separator: " AND "))"
        let question = """
            \(condition.with(of: rows))SELECT \((facts + tests.map(\.sql)).joined(separator: ", ")) \
            \(from)\(condition.join) WHERE \(terms.joined(separator: " AND "))
            """
        let found: QueryResult
        do throws(ServerError) { found = try connection.query(question, key) } catch {
            // No row can have a key that its type does not admit.
            guard error.category == "22" else { throw error }
            return nil
        }
        return found.count > 0 ? judgement(found) : nil
    }

    /// The row's time, and whether it is marked. ``judgement(_:)`` reads them in this order.
    private var facts: [String] {
        let isMarked = bound.mark?.isSet(in: relation) ?? "false"
        guard let time = bound.time else { return ["NULL", "NULL", "false", "false", isMarked] }
        return [
            "\(time.sql)::text", "CASE WHEN \(time.isPlausible) THEN \(time.second) END", time.isPlausible,
            "\(time.isPlausible) AND \(time.isBefore(condition.task.cutoff))", isMarked,
        ]
    }

    private var tests: [RowTest] { condition.reasons.tests(true: "true", false: "false") }

    private func judgement(_ found: QueryResult) -> RowJudgement {
        let isPlausible = found.isTrue(0, 2)
        let time = isPlausible ? found.integer(0, 1).map { Date(timeIntervalSince1970: Double($0)) } : nil
        let checks = tests.enumerated().map { index, test in
            test.check(found.text(0, 5 + index).map { $0 != "f" })
        }
        return RowJudgement(
            value: bound.time.flatMap { _ in found.text(0, 0) ?? "NULL" }, time: time,
            expiresAt: time.map { rule.expiry.firstExpiry(of: $0, in: condition.task.timeZone) },
            isDone: found.isTrue(0, 4),
            checks: RowTest.timeCheck(
                of: rule, isPast: isPlausible ? found.isTrue(0, 3) : nil, times: "plausible time") + checks,
            refusing: bound.refusing)
    }
}
