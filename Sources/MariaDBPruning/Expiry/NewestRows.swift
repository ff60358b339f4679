import FoundationEssentials
import Retention
import RuleEngine

/// The newest rows, which `keep_last` keeps: of the table, or of each group.
///
/// The threshold is the time of the last row that is kept. It counts all rows that have a time, whatever `where` and
/// `protect` say of them, but not marked ones and not those ahead of the run's start. NULL is a group.
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
    private var groups: [String] { bound.groups.map { relation.column($0.name) } }
    var hasGroups: Bool { !bound.groups.isEmpty }

    /// The rows that count, of those of which `terms` are true.
    private func rows(_ terms: [String]) -> String {
        let notMarked = bound.mark.map { ["NOT \($0.isSet(in: relation))"] } ?? []
        let all = terms + [time.isPlausible, time.isBefore(start.addingTimeInterval(1))] + notMarked
        return "FROM \(source) AS \(relation.alias) WHERE \(all.joined(separator: " AND "))"
    }

    private func threshold(_ terms: [String]) -> String {
        "(SELECT \(time.sql) \(rows(terms)) ORDER BY \(time.sql) DESC LIMIT 1 OFFSET \(count - 1))"
    }

    /// SQL that is true of a row older than the newest ones; with groups in a statement that has ``join(among:)``.
    var isOlder: String {
        "\(time.sql) < \(hasGroups ? "\"pruned newest\".\"pruned threshold\"" : threshold([]))"
    }

    /// The join that gives each row its group's threshold; empty without groups. `place` is true of the rows whose groups
    /// matter; nil if all do.
    ///
    /// An index leads to each threshold. Without one, a search for each group would read the table as often as there are
    /// groups: the rows of all of them are numbered in one pass.
    func join(among place: String?) -> String {
        guard hasGroups else { return "" }
        let names = groups.indices.map { "g\($0)" }
        let named = zip(groups, names).map { "\($0) AS \($1)" }.joined(separator: ", ")
        let thresholds: String
        if bound.hasNewestIndex, source == relation.sql {
            let isSame = zip(groups, names).map { "\($0) <=> \"pruned groups\".\($1)" }
            thresholds = """
                SELECT \(names.joined(separator: ", ")), \(threshold(isSame)) AS "pruned threshold" FROM (SELECT DISTINCT \
                \(named) FROM \(source) AS \(relation.alias)\(place.map { " WHERE \($0)" } ?? "")) AS "pruned groups"
                """
        } else {
            thresholds = """
                SELECT \(names.joined(separator: ", ")), "pruned threshold" FROM (SELECT \(named), \
                \(time.sql) AS "pruned threshold", row_number() OVER (PARTITION BY \(groups.joined(separator: ", ")) \
                ORDER BY \(time.sql) DESC) AS "pruned place" \(rows([]))) AS "pruned places" WHERE "pruned place" = \(count)
                """
        }
        let isOwn = zip(groups, names).map { "\"pruned newest\".\($1) <=> \($0)" }.joined(separator: " AND ")
        return " LEFT JOIN (\(thresholds)) AS \"pruned newest\" ON \(isOwn)"
    }
}
