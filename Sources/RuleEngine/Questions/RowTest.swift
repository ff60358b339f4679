import FoundationEssentials
import Pruning
import Retention

/// What a rule asks of one row, as SQL that an engine puts into its question, and what the answer means.
package struct RowTest {
    private let key: String
    private let text: String
    /// The answer with which the row may go.
    private let allowing: Bool
    /// What was found if the answer is true, and if it is false.
    private let findings: (Bool) -> String
    /// Is true, false, or NULL where that is possible.
    package let sql: String

    private init(
        _ key: String, _ text: String, allowing: Bool, sql: String, _ findings: @escaping (Bool) -> String
    ) {
        (self.key, self.text, self.allowing) = (key, text, allowing)
        (self.findings, self.sql) = (findings, sql)
    }

    /// Those of `where` and `protect`. `yes` and `no` are the truth values in SQL.
    static func conditions(
        _ conditions: RowConditions, true yes: String, false no: String
    ) -> [RowTest] {
        let wanted = [conditions.wanted].compactMap(\.self).map { ("where", $0) }
        return (wanted + conditions.protections.map { ($0.keys[0], $0) }).map { key, condition in
            RowTest(
                key, condition.text, allowing: key == "where", sql: condition.value(true: yes, false: no)
            ) { $0 ? "true" : "false" }
        }
    }

    static func isOlder(_ sql: String, _ rule: RetentionRule) -> RowTest {
        let per = rule.keepLastPer.isEmpty ? "" : " per \(rule.keepLastPer.joined(separator: ", "))"
        return RowTest("keep_last", "\(rule.keepLast ?? 0)\(per)", allowing: true, sql: sql) {
            $0 ? "is older than they are" : "is among them"
        }
    }

    /// Whether no row that stays refers to it by one of the table's own `keys`.
    static func isFree(_ sql: String, of keys: String) -> RowTest {
        RowTest("foreign_key", keys, allowing: true, sql: sql) {
            $0 ? "no row that stays refers to it" : "a row that stays refers to it"
        }
    }

    static func isRefused(_ sql: String, by trigger: String) -> RowTest {
        RowTest("trigger", trigger, allowing: false, sql: sql) { $0 ? "refuses to let it go" : "lets it go" }
    }

    static func isUnkept(_ sql: String, by reference: ColumnReference) -> RowTest {
        RowTest("kept_by", reference.description, allowing: true, sql: sql) {
            $0 ? "does not refer to it" : "refers to it"
        }
    }

    static func isUnleased(_ sql: String, until end: Date?) -> RowTest {
        let end = end.map { "; leases end by \($0.formatted(.iso8601))" } ?? ""
        return RowTest("lease", "rows that were put back stay for a while", allowing: true, sql: sql) {
            $0 ? "it was not put back" : "it was put back\(end)"
        }
    }

    package func check(_ answer: Bool?) -> RowJudgement.Check {
        RowJudgement.Check(
            key, text, allows: answer == allowing, finding: answer.map(findings) ?? "unknown (NULL)")
    }

    /// Whether the row is old enough. `isPast` is nil if its value is none of these `times`.
    package static func timeCheck(
        of rule: RetentionRule, isPast: Bool?, times: String
    ) -> [RowJudgement.Check] {
        let finding =
            switch isPast {
            case true?: "old enough"
            case false?: "not old enough"
            case nil: "not a \(times): such a row always stays"
            }
        switch rule.expiry {
        case .age(let column, let keep):
            return [.init("keep", "\(column) over \(keep)", allows: isPast == true, finding: finding)]
        case .deadline(let column, let grace):
            let text = "\(column) passed" + (grace.map { " by \($0)" } ?? "")
            return [.init("expires_column", text, allows: isPast == true, finding: finding)]
        case .orphan: return []
        }
    }

    /// Throws unless `given` values are a key of these columns.
    package static func requireKey(
        _ columns: [String], given: Int, of table: String, place: String
    ) throws(StoreError) {
        guard columns.isEmpty || columns.count != given else { return }
        throw StoreError(
            .schema, operation: "look for a row of \(table)", place: place,
            cause: columns.isEmpty
                ? "\(table) has no primary key"
                : "its key has \(columns.count == 1 ? "one column" : "\(columns.count) columns")"
                    + " (\(columns.joined(separator: ", "))), and \(given) are given",
            hint: columns.isEmpty ? nil : "write one value for each")
    }
}
