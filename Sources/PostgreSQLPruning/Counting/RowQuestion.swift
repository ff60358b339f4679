import FoundationEssentials
import Pruning
import Retention

/// Asks of one row everything that a rule asks before it takes a row.
struct RowQuestion {
    let condition: ExpiryCondition

    private var bound: BoundRule { condition.bound }
    private var rule: RetentionRule { condition.task.rule }
    private var relation: Relation { bound.relation }

    /// The judgement of the row with this key; nil if there is no such row.
    func answer(_ key: [String], in connection: Connection) throws -> RowJudgement? {
        let names = relation.primaryKey
        guard !names.isEmpty, names.count == key.count else {
            throw StoreError(
                .schema, operation: "look for a row of \(relation.description)", place: connection.place,
                cause: names.isEmpty
                    ? "\(relation.description) has no primary key"
                    : "its key has \(names.count == 1 ? "one column" : "\(names.count) columns")"
                        + " (\(names.joined(separator: ", "))), and \(key.count) are given",
                hint: names.isEmpty ? nil : "write one value for each")
        }
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

    private struct Test {
        let key: String
        let text: String
        /// The answer with which the row may go.
        let allowing: String
        /// Is true, false, or NULL where that is possible.
        let sql: String
        let finding: (String?) -> String
    }

    private var tests: [Test] {
        var tests: [Test] = []
        if let wanted = bound.conditions.wanted {
            tests.append(
                Test(
                    key: "where", text: wanted.text, allowing: "t",
                    sql: wanted.value(true: "true", false: "false"), finding: Self.truth))
        }
        for protection in bound.conditions.protections {
            tests.append(
                Test(
                    key: "protect", text: protection.text, allowing: "f",
                    sql: protection.value(true: "true", false: "false"),
                    finding: Self.truth))
        }
        if let newest = condition.newest {
            let per = rule.keepLastPer.isEmpty ? "" : " per \(rule.keepLastPer.joined(separator: ", "))"
            tests.append(
                Test(
                    key: "keep_last", text: "\(rule.keepLast ?? 0)\(per)", allowing: "t",
                    sql: "(\(newest.isOlder)) IS TRUE"
                ) { $0 == "t" ? "is older than they are" : "is among them" })
        }
        if let notHeld = condition.notHeld {
            tests.append(
                Test(key: "foreign_key", text: bound.binding.ownKeyNames, allowing: "t", sql: "(\(notHeld))")
                {
                    $0 == "t" ? "no row that stays refers to it" : "a row that stays refers to it"
                })
        }
        for (keeper, reference) in zip(bound.keepers, rule.keptBy) {
            tests.append(
                Test(
                    key: "kept_by", text: reference.description, allowing: "t",
                    sql: condition.isAbsent(from: keeper)
                ) { $0 == "t" ? "does not refer to it" : "refers to it" })
        }
        if let leased = condition.leased {
            let end = leased.end.map { "; leases end by \($0.formatted(.iso8601))" } ?? ""
            tests.append(
                Test(
                    key: "lease", text: "rows that were put back stay for a while", allowing: "t",
                    sql: leased.isAbsent
                ) { $0 == "t" ? "it was not put back" : "it was put back\(end)" })
        }
        return tests
    }

    private static func truth(_ value: String?) -> String {
        switch value {
        case nil: "unknown (NULL)"
        case "f": "false"
        default: "true"
        }
    }

    private func judgement(_ found: QueryResult) -> RowJudgement {
        let isPlausible = found.isTrue(0, 2)
        let time = isPlausible ? found.integer(0, 1).map { Date(timeIntervalSince1970: Double($0)) } : nil
        let checks = tests.enumerated().map { index, test in
            let value = found.text(0, 5 + index)
            return RowJudgement.Check(
                test.key, test.text, allows: value == test.allowing, finding: test.finding(value))
        }
        return RowJudgement(
            value: bound.time.flatMap { _ in found.text(0, 0) ?? "NULL" }, time: time,
            expiresAt: time.map { rule.expiry.firstExpiry(of: $0, in: condition.task.timeZone) },
            isDone: found.isTrue(0, 4), checks: timeCheck(isPlausible, isPast: found.isTrue(0, 3)) + checks,
            refusing: bound.refusing)
    }

    private func timeCheck(_ isPlausible: Bool, isPast: Bool) -> [RowJudgement.Check] {
        let finding =
            isPlausible
            ? (isPast ? "old enough" : "not old enough") : "not a plausible time: such a row always stays"
        switch rule.expiry {
        case .age(let column, let keep):
            return [.init("keep", "\(column) over \(keep)", allows: isPlausible && isPast, finding: finding)]
        case .deadline(let column, let grace):
            let text = "\(column) passed" + (grace.map { " by \($0)" } ?? "")
            return [.init("expires_column", text, allows: isPlausible && isPast, finding: finding)]
        case .orphan: return []
        }
    }
}
