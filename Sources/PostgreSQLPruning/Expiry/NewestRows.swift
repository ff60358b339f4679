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
        """
        (SELECT \(time.sql) \(rows(of: group)) ORDER BY \(time.sql) DESC OFFSET \(count - 1) LIMIT 1)
        """
    }

    /// The rows that count, of those of which `group` is true.
    private func rows(of group: [String]) -> String {
        let future = start.addingTimeInterval(1)
        let notMarked = bound.mark.map { ["NOT \($0.isSet(in: relation))"] } ?? []
        let terms = group + [time.isPlausible, time.isBefore(future)] + notMarked
        return "FROM \(source) AS \(relation.alias) WHERE \(terms.joined(separator: " AND "))"
    }

    // MARK: - Without groups

    /// SQL that is true of a row older than the newest ones.
    var isOlder: String { hasGroups ? isOlderThanGroups : "\(time.sql) < \(threshold([]))" }

    // MARK: - Groups

    /// The CTEs of the thresholds of all groups that `rows` ("FROM ... WHERE ...") has.
    ///
    /// An index leads to each threshold. Without one, a search for each group would read the table as often as there are
    /// groups: the rows of all of them are numbered in one pass.
    func common(of rows: String) -> [String] {
        guard hasGroups else { return [] }
        let columns = groups.map { "\(relation.column($0.name)) AS \(Self.name(of: $0))" }
            .joined(separator: ", ")
        let thresholds =
            bound.hasNewestIndex && source == relation.sql
            ? "SELECT *, \(thresholdOfGroup(groups[...])) AS \"pruned threshold\" FROM \"pruned groups\""
            : numberedThresholds(columns)
        return [
            "\"pruned groups\" AS MATERIALIZED (SELECT DISTINCT \(columns) \(rows))",
            "\"pruned newest\" AS MATERIALIZED (\(thresholds))",
        ]
    }

    /// Only equality can be hashed: of the groups with a NULL, all are numbered.
    private func numberedThresholds(_ columns: String) -> String {
        let own = groups.map { relation.column($0.name) }
        let hasNull = groups.filter { !$0.isNotNull }.map { "\(relation.column($0.name)) IS NULL" }
        let isWanted = ["(\(own.joined(separator: ", "))) IN (SELECT * FROM \"pruned groups\")"] + hasNull
        return """
            SELECT \(groups.map(Self.name).joined(separator: ", ")), "pruned threshold" FROM (SELECT \(columns), \
            \(time.sql) AS "pruned threshold", row_number() OVER (PARTITION BY \(own.joined(separator: ", ")) \
            ORDER BY \(time.sql) DESC) AS "pruned place" \(self.rows(of: ["(\(isWanted.joined(separator: " OR ")))"]))) \
            AS "pruned places" WHERE "pruned place" = \(count)
            """
    }

    /// A group's column beside those of the table: with the same name, a column of `where` could be either.
    private static func name(of group: Relation.Column) -> String {
        "pruned group \(group.number)".quotedIdentifier
    }

    /// NULL is a group. For an index, the search for NULL is another one than that for a value.
    private func thresholdOfGroup(_ columns: ArraySlice<Relation.Column>, _ terms: [String] = []) -> String {
        guard let column = columns.first else { return threshold(terms) }
        let (row, group) = (relation.column(column.name), "\"pruned groups\"." + Self.name(of: column))
        let equal = thresholdOfGroup(columns.dropFirst(), terms + ["\(row) = \(group)"])
        guard !column.isNotNull else { return equal }
        let null = thresholdOfGroup(columns.dropFirst(), terms + ["\(row) IS NULL"])
        return "CASE WHEN \(group) IS NULL THEN \(null) ELSE \(equal) END"
    }

    /// The joins that give each row its group's threshold; empty without groups. Only equality can be hashed, so there is one
    /// for each way in which some columns of a group can be NULL.
    var join: String {
        nullPatterns.enumerated().map { number, isNull in
            let newest = Self.newest(number)
            let terms = zip(groups, isNull).map { column, isNull in
                let (row, group) = (relation.column(column.name), newest + "." + Self.name(of: column))
                return isNull ? "\(row) IS NULL AND \(group) IS NULL" : "\(row) = \(group)"
            }
            return " LEFT JOIN \"pruned newest\" AS \(newest) ON \(terms.joined(separator: " AND "))"
        }.joined()
    }

    /// The group whose columns are all NULL is one, and no equality finds it: it is looked up once, and not joined.
    private var isOlderThanGroups: String {
        let threshold = "\"pruned threshold\""
        let joined = nullPatterns.indices.map { "\(Self.newest($0)).\(threshold)" }.joined(separator: ", ")
        guard groups.allSatisfy({ !$0.isNotNull }) else { return "\(time.sql) < coalesce(\(joined))" }
        func areNull(_ names: [String]) -> String { names.map { "\($0) IS NULL" }.joined(separator: " AND ") }
        return """
            \(time.sql) < CASE WHEN \(areNull(groups.map { relation.column($0.name) })) THEN (SELECT \(threshold) \
            FROM "pruned newest" WHERE \(areNull(groups.map(Self.name)))) ELSE coalesce(\(joined)) END
            """
    }

    /// For each way in which columns of a group can be NULL, but not all of them, which are; none without groups.
    private var nullPatterns: [[Bool]] {
        guard hasGroups else { return [] }
        let all = groups.reduce([[Bool]]([[]])) { patterns, column in
            patterns.flatMap { pattern in
                (column.isNotNull ? [false] : [false, true]).map { pattern + [$0] }
            }
        }
        return all.filter { $0.contains(false) }
    }

    private static func newest(_ number: Int) -> String { "pruned newest \(number)".quotedIdentifier }
}
