import FoundationEssentials
import Pruning
import Retention

/// Why rows that are old enough go or stay: each reason once, in one order, for what explains a row and for what counts those
/// that stay.
///
/// An engine gives SQL that is true of a row that may go, as far as one reason is concerned; nil where it keeps no row.
package struct RowReasons {
    private let rule: RetentionRule
    private let conditions: RowConditions
    /// What is made of a condition's SQL, if that is judged by other values than the row has.
    private let judged: (String) -> String
    package var isUnleased: (sql: String, end: Date?)?
    package var isOlder: String?
    /// Whether it has a key by which a keeper could refer to it.
    package var hasKey: String?
    /// Whether no row that stays refers to it by one of the table's own keys, whose columns are named.
    package var isFree: (sql: String, keys: String)?
    /// For each reference of `kept_by`.
    package var isUnkept: [String] = []
    /// The triggers that refuse to let it go, with SQL that is true if they do.
    package var isRefused: [(trigger: String, sql: String)] = []

    package init(
        _ rule: RetentionRule, _ conditions: RowConditions,
        judged: @escaping (String) -> String = { $0 }
    ) {
        (self.rule, self.conditions, self.judged) = (rule, conditions, judged)
    }

    // MARK: - One row

    /// What is asked of one row. `yes` and `no` are the truth values in SQL.
    package func tests(true yes: String, false no: String) -> [RowTest] {
        RowTest.conditions(conditions, true: yes, false: no)
            + [isOlder.map { .isOlder($0, rule) }, isFree.map { .isFree($0.sql, of: $0.keys) }]
            .compactMap(\.self) + isRefused.map { .isRefused($0.sql, by: $0.trigger) }
            + zip(isUnkept, rule.keptBy).map { .isUnkept($0, by: $1) }
            + [isUnleased.map { .isUnleased($0.sql, until: $0.end) }].compactMap(\.self)
    }

    // MARK: - Many rows

    /// Each reason with SQL that is true of a row that stays because of it.
    private var stays: [(reason: ExemptRows.Reason, sql: String)] {
        let wanted = conditions.wanted.map { judged($0.isTrue) }
        let protections = conditions.protections.enumerated().map {
            (
                $0.offset < rule.protect.count ? ExemptRows.Reason.protection($0.offset) : .owned,
                judged($0.element.isFalse)
            )
        }
        let all: [(ExemptRows.Reason, String?)] =
            [(.leased, isUnleased?.sql), (.condition, wanted)] + protections
            + [(.newest, isOlder), (.keyless, hasKey), (.referredTo(isFree?.keys ?? ""), isFree?.sql)]
            + [(.keptBy, isUnkept.isEmpty ? nil : isUnkept.joined(separator: " AND "))]
        return all.compactMap { reason, sql in sql.map { (reason, "(\($0)) IS NOT TRUE") } }
    }

    /// SQL of the number of the first reason for which a row stays. It is NULL for the last reason, which gets the rows that the
    /// others leave. Nil if there are not two: then no row need be read.
    package var firstReason: String? {
        let cases = stays.dropLast().enumerated().map { "WHEN \($1.sql) THEN \($0)" }
        return cases.isEmpty ? nil : "CASE \(cases.joined(separator: " ")) END"
    }

    /// The old rows that stay, `total` in all, each counted under the first reason that holds. `count` answers how many rows
    /// have each value of ``firstReason``.
    package func count(
        _ total: Int64, by count: (_ firstReason: String) throws -> [(reason: Int64?, rows: Int64)]
    ) rethrows -> ExemptRows {
        var exempt = ExemptRows()
        exempt.leasesEnd = isUnleased?.end
        let reasons = stays.map(\.reason)
        guard total > 0, let last = reasons.last else { return exempt }
        var left = total
        for found in try firstReason.map(count) ?? [] {
            guard let reason = found.reason else { continue }
            exempt.rows[reasons[Int(reason)], default: 0] += found.rows
            left -= found.rows
        }
        exempt.rows[last, default: 0] += max(0, left)
        return exempt
    }
}
