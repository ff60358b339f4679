import Pruning
import Retention
import SQLite

/// Counts the rows that are old enough to be deleted but stay, by reason.
struct OldRowsCount {
    let condition: ExpiryCondition

    /// `total` is the number of these rows.
    func take(_ total: Int64, in db: Database) throws -> ExemptRows {
        let rule = condition.task.rule
        var stay = ExemptRows()
        stay.leasesEnd = condition.leasesEnd
        guard total > 0 else { return stay }
        guard let notLeased = condition.notLeased else {
            return try withoutLeases(total, stay, in: db)
        }
        let counts = try count(["NOT (\(notLeased))", "\(notLeased) AND \(isNewest)"], in: db)
        stay.leased = counts[0]
        stay.newest = rule.keepLast == nil ? 0 : counts[1]
        stay.keptBy = rule.keptBy == nil ? 0 : max(0, total - stay.leased - stay.newest)
        return stay
    }

    /// If only one reason is possible, the rows need not be read.
    private func withoutLeases(
        _ total: Int64, _ stay: ExemptRows, in db: Database
    ) throws -> ExemptRows {
        let rule = condition.task.rule
        var stay = stay
        switch (rule.keepLast, rule.keptBy) {
        case (nil, nil): break
        case (nil, _): stay.keptBy = total
        case (_, nil): stay.newest = total
        default:
            stay.newest = try count([isNewest], in: db)[0]
            stay.keptBy = max(0, total - stay.newest)
        }
        return stay
    }

    /// With `keep_last`, `:latest` is the last time before those of the newest rows.
    private var isNewest: String { "\(condition.column) > :latest" }

    /// For each of `terms`, the number of rows before the cutoff that satisfy it.
    private func count(_ terms: [String], in db: Database) throws -> [Int64] {
        let counts = terms.map { "count(*) FILTER (WHERE \($0))" }.joined(separator: ", ")
        let row = try db.row(
            """
            SELECT \(counts) FROM \(condition.bound.table.name.quotedIdentifier) \
            WHERE \(condition.beforeCutoff.joined(separator: " AND "))
            """, condition.values(and: ["cutoff": .int64(condition.task.window.cutoff)]))
        return row?.map(\.integer) ?? terms.map { _ in 0 }
    }
}
