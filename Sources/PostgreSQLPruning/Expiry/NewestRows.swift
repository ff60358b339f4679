import FoundationEssentials
import Retention

/// The newest rows, which `keep_last` keeps: of the table, or of each group.
///
/// The threshold is the time of the last row that is kept. It counts all rows that have a time, whatever `where` and
/// `protect` say of them, but not marked ones and not those ahead of the run's start.
struct NewestRows {
    private let bound: BoundRule
    private let count: Int64
    private let time: TimeColumn
    /// The table, or what is read instead of it.
    private let source: String
    private let start: Date

    /// Nil if the rule keeps none.
    init?(_ bound: BoundRule, source: String, start: Date) {
        guard let count = bound.rule.keepLast, let time = bound.time else { return nil }
        (self.bound, self.count, self.time, self.source, self.start) = (bound, count, time, source, start)
    }

    private var relation: Relation { bound.relation }
    private var groups: [Relation.Column] { bound.groups }
    var hasGroups: Bool { !groups.isEmpty }

    /// SQL of the threshold among the rows of which `group` is true; NULL if there are not more rows than are kept.
    private func threshold(_ group: [String]) -> String {
        let future = start.addingTimeInterval(1)
        let notMarked = bound.mark.map { ["NOT \($0.isSet(in: relation))"] } ?? []
        let terms = group + [time.isPlausible, time.isBefore(future)] + notMarked
        return """
            (SELECT \(time.sql) FROM \(source) AS \(relation.alias) WHERE \(terms.joined(separator: " AND ")) \
            ORDER BY \(time.sql) DESC OFFSET \(count - 1) LIMIT 1)
            """
    }

    // MARK: - Without groups

    /// SQL that is true of a row older than the newest ones.
    var isOlder: String { hasGroups ? isOlderThanGroups : "\(time.sql) < \(threshold([]))" }

    // MARK: - Groups

    /// The CTEs of the thresholds of all groups that `rows` ("FROM ... WHERE ...") has.
    func common(of rows: String) -> [String] {
        guard hasGroups else { return [] }
        let columns = groups.map { "\(relation.column($0.name)) AS \(Self.name(of: $0))" }
        return [
            "\"pruned groups\" AS MATERIALIZED (SELECT DISTINCT \(columns.joined(separator: ", ")) \(rows))",
            """
            "pruned newest" AS MATERIALIZED (SELECT *, \(thresholdOfGroup) AS "pruned threshold" \
            FROM "pruned groups")
            """,
        ]
    }

    /// A group's column beside those of the table: with the same name, a column of `where` could be either.
    private static func name(of group: Relation.Column) -> String {
        "pruned group \(group.number)".quotedIdentifier
    }

    /// NULL is a group. For an index, the search for NULL is another one than that for a value.
    private var thresholdOfGroup: String {
        guard groups.count == 1, !groups[0].isNotNull else {
            return threshold(groups.map { matches($0, in: "\"pruned groups\"") })
        }
        let (row, group) = (
            relation.column(groups[0].name), "\"pruned groups\"." + Self.name(of: groups[0])
        )
        return """
            CASE WHEN \(group) IS NULL THEN \(threshold(["\(row) IS NULL"])) \
            ELSE \(threshold(["\(row) = \(group)"])) END
            """
    }

    private func matches(_ column: Relation.Column, in other: String) -> String {
        let (row, group) = (relation.column(column.name), other + "." + Self.name(of: column))
        return column.isNotNull ? "\(row) = \(group)" : "\(row) IS NOT DISTINCT FROM \(group)"
    }

    /// The join that gives each row its group's threshold; empty without groups. Only equality can be hashed, so rows with
    /// a NULL find theirs in ``isOlder``.
    var join: String {
        guard hasGroups else { return "" }
        let terms = groups.map {
            "\(relation.column($0.name)) = \"pruned newest\".\(Self.name(of: $0))"
        }
        return " LEFT JOIN \"pruned newest\" ON \(terms.joined(separator: " AND "))"
    }

    private var isOlderThanGroups: String {
        let threshold = "\"pruned newest\".\"pruned threshold\""
        let nullable = groups.filter { !$0.isNotNull }
        guard !nullable.isEmpty else { return "\(time.sql) < \(threshold)" }
        let isNull = nullable.map { "\(relation.column($0.name)) IS NULL" }.joined(separator: " OR ")
        let other = "pruned newest of null".quotedIdentifier
        let terms = groups.map {
            "\(other).\(Self.name(of: $0)) IS NOT DISTINCT FROM \(relation.column($0.name))"
        }
        return """
            \(time.sql) < CASE WHEN \(isNull) THEN (SELECT \(other)."pruned threshold" FROM "pruned newest" AS \(other) WHERE \
            \(terms.joined(separator: " AND "))) ELSE \(threshold) END
            """
    }
}
