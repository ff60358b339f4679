import GRDB
import Pruning
import Retention

/// The SQL of "this row is expired" and "this row's time is implausible", for one task.
///
/// Every condition is complete by itself and judges the row as it is when the statement runs, so that a row that is
/// refreshed in the middle of a run survives.
struct ExpiryCondition {
    let bound: BoundRule
    let task: PruneTask

    /// SQL for the time column.
    var column: String { bound.table.column(bound.time.name) }
    private var window: ExpiryWindow { task.window }

    /// Binds the condition's values, which stand in it by name, and `others`.
    func bind(to statement: Statement, _ others: [String: DatabaseValue] = [:]) {
        var values = others
        values["lowest"] = window.plausible.lowerBound.databaseValue
        values["highest"] = window.plausible.upperBound.databaseValue
        values["cutoff"] = window.cutoff.databaseValue
        // Unchecked, because no statement has all of the names.
        statement.setUncheckedArguments(StatementArguments(values))
    }

    /// The row is expired. Complete in itself; the `+` keeps SQLite from choosing an index on time for its sake.
    var expired: String {
        let type = bound.timeIsAlwaysInteger ? nil : "typeof(\(column)) = 'integer'"
        return [type, "+\(column) >= :lowest", "+\(column) < :cutoff", notKept]
            .compactMap(\.self).joined(separator: " AND ")
    }

    /// How the index on time finds expired rows: true of every expired row, and of some others.
    var withinWindow: [String] {
        switch bound.timeIndex {
        case .exact: ["\(column) >= :lowest", "\(column) < :cutoff"]
        case .byDay(let perDay):
            ["\(column) / \(perDay) BETWEEN :lowest / \(perDay) AND :cutoff / \(perDay)"]
        case nil: []
        }
    }

    /// The row's time cannot be a time in the rule's unit.
    var implausible: String {
        "NOT (typeof(\(column)) = 'integer' AND \(column) BETWEEN :lowest AND :highest) OR \(column) IS NULL"
    }

    /// The same, found through the index, for a column that holds nothing but integers and NULL; nil where a scan is
    /// needed.
    var implausibleByTime: String? {
        guard bound.timeIsAlwaysInteger, let index = bound.timeIndex else { return nil }
        let (entry, low, high) = (
            index.entry(of: column), index.entry(of: ":lowest"), index.entry(of: ":highest")
        )
        let outside =
            "(\(entry) <= \(low) AND \(column) < :lowest) OR (\(entry) >= \(high) AND \(column) > :highest)"
        return bound.time.isNotNull ? outside : outside + " OR \(entry) IS NULL"
    }

    /// No row of the keeper has this row's key. In a dry run, keepers that would be gone by now do not count.
    private var notKept: String? {
        guard let keeper = bound.keeper else { return nil }
        let table = keeper.table
        var conditions = ["\(table.column(keeper.column)) = \(bound.table.column(keeper.key))"]
        for done in task.presumedDone where done.rule.table.lowercased() == table.name.lowercased() {
            let time = table.column(done.rule.expiry.column)
            let (low, cutoff) = (done.window.plausible.lowerBound, done.window.cutoff)
            conditions.append(
                "NOT (typeof(\(time)) = 'integer' AND \(time) >= \(low) AND \(time) < \(cutoff))")
        }
        return """
            NOT EXISTS (SELECT 1 FROM \(table.name.quotedIdentifier) \
            WHERE \(conditions.joined(separator: " AND ")))
            """
    }
}
