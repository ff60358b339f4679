import FoundationEssentials
import Pruning
import Retention
import RuleEngine
import SQLite

/// Asks of one row everything that a rule asks before it takes a row.
struct RowQuestion {
    let condition: ExpiryCondition

    private var bound: BoundRule { condition.bound }
    private var rule: RetentionRule { condition.task.rule }
    private var table: TableSchema { bound.table }

    /// The judgement of the row with this key; nil if there is no such row. A key that is written as integers is also
    /// looked for as integers, in columns without a type.
    func answer(_ key: [String], in db: Database) throws -> RowJudgement? {
        let names = table.primaryKey.isEmpty ? table.key : table.primaryKey
        try RowTest.requireKey(names, given: key.count, of: table.name, place: rule.store.description)
        let integers = key.compactMap { Int64($0) }
        let row =
            try row(names, key.map(DatabaseValue.text), in: db)
            ?? (integers.count == key.count ? row(names, integers.map(DatabaseValue.int64), in: db) : nil)
        return row.map(judgement)
    }

    private func row(_ names: [String], _ key: [DatabaseValue], in db: Database) throws -> Row? {
        let terms = names.indices.map { "\(table.column(names[$0])) = :asked\($0)" }
        let values = Dictionary(uniqueKeysWithValues: key.enumerated().map { ("asked\($0)", $1) })
        return try db.row(
            """
            SELECT \((facts + tests.map(\.sql)).joined(separator: ", ")) FROM \(table.name.quotedIdentifier) \
            WHERE \(terms.joined(separator: " AND ")) LIMIT 1
            """,
            condition.values(and: values))
    }

    /// The row's time, and whether it is marked. The numbers of the columns are those that ``judgement(_:)`` reads.
    private var facts: [String] {
        guard let time = bound.time else { return ["NULL", "NULL", "0", "0", isMarked] }
        let isPlausible = "\(condition.isNumber) AND \(condition.column) BETWEEN :lowest AND :highest"
        return [
            "quote(\(time.raw(of: table.name)))", condition.wholeTime, isPlausible,
            "\(isPlausible) AND \(condition.column) < :cutoff", isMarked,
        ]
    }

    private var isMarked: String { bound.mark?.isSet(table.name) ?? "0" }

    private var tests: [RowTest] {
        var reasons = condition.reasons
        reasons.isRefused = bound.refusing.map { refusing in
            let isSame = table.key.map {
                "asked.\($0.quotedIdentifier) = \(table.column($0))"
            }.joined(separator: " AND ")
            let sql = """
                EXISTS (SELECT 1 FROM (SELECT asked.* FROM \(table.name.quotedIdentifier) AS asked WHERE \(isSame)) AS old \
                WHERE \(refusing.sql))
                """
            return (refusing.trigger, sql)
        }
        return reasons.tests(true: "1", false: "0")
    }

    private func judgement(_ row: Row) -> RowJudgement {
        let isPlausible = row[2].integer == 1
        let time = isPlausible ? rule.time.date(of: row[1].integer) : nil
        let checks = zip(tests, row.dropFirst(facts.count)).map { test, value in
            test.check(value == .null ? nil : value.integer != 0)
        }
        return RowJudgement(
            value: bound.time.map { _ in row[0].string }, time: time,
            expiresAt: time.map { rule.expiry.firstExpiry(of: $0, in: condition.task.timeZone) },
            isDone: row[4].integer == 1,
            checks: RowTest.timeCheck(
                of: rule, isPast: isPlausible ? row[3].integer == 1 : nil, times: "time in \(rule.time.words)"
            ) + checks,
            refusing: bound.mayRefuse)
    }
}
