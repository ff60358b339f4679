/// The SQL of "the keeper keeps this row" for statements that ask it of many rows: most are answered by comparing the
/// row's key with the least and the greatest value that stand in the keeper, without a look into it.
struct KeptRows {
    /// SQL: the keeper keeps this row. It is asked of each row that a statement reads, and leads SQLite to no index: one
    /// that is damaged could hide rows, and what is not found here goes.
    let sql: String
    /// What stands in the SQL by name.
    let values: [String: DatabaseValue]

    /// What `condition` says now; nil where it keeps no row for its keeper's sake.
    init?(_ condition: ExpiryCondition, in db: Database) throws {
        let reach = try KeeperReach(ofRowsThatStay: condition, in: db)
        guard reach != .none, let notKept = condition.notKept else { return nil }
        guard case .between(let lowest, let highest) = reach, let mayBeKept = condition.mayBeKept else {
            (sql, values) = ("NOT (\(notKept))", [:])
            return
        }
        let limits = ExpiryCondition.keeperLimits(lowest, highest)
        let isKept = "\(mayBeKept) AND NOT (\(notKept))"
        if let range = NumeralRange(lowest, highest), let key = condition.bound.textKey,
            try !range.areAnyDotted(key, of: condition.bound.table, in: db)
        {
            sql = "\(NumeralRange.holds("+" + key)) AND \(isKept)"
            values = limits.merging(range.values) { $1 }
        } else {
            (sql, values) = (isKept, limits)
        }
    }
}
