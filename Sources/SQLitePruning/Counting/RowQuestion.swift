import FoundationEssentials
import Pruning
import Retention
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
        guard names.count == key.count else {
            throw StoreError(
                .schema, operation: "look for a row of \(table.name)", place: rule.store.description,
                cause:
                    "its key has \(names.count == 1 ? "one column" : "\(names.count) columns") (\(names.joined(separator: ", "))), and \(key.count) are given",
                hint: "write one value for each")
        }
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
            condition.values(
                and: values.merging(["cutoff": .int64(condition.task.window.cutoff)]) { $1 }))
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

    /// A condition and the SQL of it.
    private struct Test {
        let key: String
        let text: String
        /// The answer with which the row may go.
        let allowing: Bool
        let finding: (DatabaseValue) -> String
        /// Is 1, 0, or NULL where that is possible.
        let sql: String

        init(
            _ key: String, _ text: String, allowing: Bool, sql: String,
            _ finding: @escaping (DatabaseValue) -> String
        ) {
            (self.key, self.text, self.allowing) = (key, text, allowing)
            (self.sql, self.finding) = (sql, finding)
        }

        func allows(_ answer: DatabaseValue) -> Bool { answer == .int64(allowing ? 1 : 0) }
    }

    private var tests: [Test] {
        var tests: [Test] = []
        if let wanted = bound.conditions.wanted {
            tests.append(
                Test(
                    "where", wanted.text, allowing: true, sql: wanted.value(true: "1", false: "0"), Self.truth
                ))
        }
        for protection in bound.conditions.protections {
            tests.append(
                Test(
                    "protect", protection.text, allowing: false, sql: protection.value(true: "1", false: "0"),
                    Self.truth))
        }
        if let isNewest = condition.isNewest {
            let text =
                "\(rule.keepLast ?? 0)"
                + (rule.keepLastPer.isEmpty ? "" : " per \(rule.keepLastPer.joined(separator: ", "))")
            tests.append(
                Test("keep_last", text, allowing: false, sql: "(\(isNewest))") {
                    $0.integer == 1 ? "is among them" : "is older than they are"
                })
        }
        if let isFree = condition.notReferredTo(table.name) {
            tests.append(
                Test("foreign_key", bound.binding.ownKeyNames, allowing: true, sql: "(\(isFree))") {
                    $0.integer == 1 ? "no row that stays refers to it" : "a row that stays refers to it"
                })
        }
        for refusing in bound.refusing {
            let isSame = table.key.map {
                "asked.\($0.quotedIdentifier) = \(table.column($0))"
            }.joined(separator: " AND ")
            let isRefused = """
                EXISTS (SELECT 1 FROM (SELECT asked.* FROM \(table.name.quotedIdentifier) AS asked WHERE \(isSame)) AS old \
                WHERE \(refusing.sql))
                """
            tests.append(
                Test("trigger", refusing.trigger, allowing: false, sql: isRefused) {
                    $0.integer == 1 ? "refuses to let it go" : "lets it go"
                })
        }
        for (keeper, reference) in zip(bound.keepers, rule.keptBy) {
            let notKept = "(\(condition.notKept(by: keeper)))"
            tests.append(
                Test("kept_by", reference.description, allowing: true, sql: notKept) {
                    $0.integer == 1 ? "does not refer to it" : "refers to it"
                })
        }
        if let notLeased = condition.notLeased {
            let end = condition.leasesEnd.map { "; leases end by \($0.formatted(.iso8601))" } ?? ""
            let text = "rows that were put back stay for a while"
            tests.append(
                Test("lease", text, allowing: true, sql: "(\(notLeased))") {
                    $0.integer == 1 ? "it was not put back" : "it was put back\(end)"
                })
        }
        return tests
    }

    private static func truth(_ value: DatabaseValue) -> String {
        switch value {
        case .null: "unknown (NULL)"
        case .int64(0): "false"
        default: "true"
        }
    }

    private func judgement(_ row: Row) -> RowJudgement {
        let isPlausible = row[2].integer == 1
        let time = isPlausible ? rule.time.date(of: row[1].integer) : nil
        let checks = zip(tests, row.dropFirst(facts.count)).map { test, value in
            RowJudgement.Check(
                test.key, test.text, allows: test.allows(value), finding: test.finding(value))
        }
        return RowJudgement(
            value: bound.time.map { _ in row[0].string }, time: time,
            expiresAt: time.map { rule.expiry.firstExpiry(of: $0, in: condition.task.timeZone) },
            isDone: row[4].integer == 1, checks: timeCheck(isPlausible, isPast: row[3].integer == 1) + checks,
            refusing: bound.mayRefuse)
    }

    private func timeCheck(_ isPlausible: Bool, isPast: Bool) -> [RowJudgement.Check] {
        let finding =
            isPlausible
            ? (isPast ? "old enough" : "not old enough")
            : "not a time in \(rule.time.words): such a row always stays"
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
