/// The SQL of "the keeper keeps this row" for statements that ask it of many rows: most are answered by comparing the
/// row's key with the least and the greatest value that stand in the keeper, without a look into it.
struct KeptRows {
    /// SQL for ranges of the keys in the order of their bytes, no row in two of them: outside of them the keeper keeps
    /// none. Empty where it might keep any.
    let keys: [String]
    /// SQL: the keeper keeps this row, whose key is in one of these ranges.
    let sqlWithinKeys: String
    /// SQL: the keeper keeps this row. By it SQLite chooses no index: that on the key may be damaged, and what it does not
    /// lead to would go.
    let sql: String
    /// What stands in the SQL by name.
    let values: [String: DatabaseValue]

    /// What `condition` says now; nil where it keeps no row for its keeper's sake.
    init?(_ condition: ExpiryCondition, in db: Database) throws {
        let reach = try KeeperReach(ofRowsThatStay: condition, in: db)
        guard reach != .none, let notKept = condition.notKept else { return nil }
        let isKept = "NOT (\(notKept))"
        guard case .between(let lowest, let highest) = reach, let mayBeKept = condition.mayBeKept else {
            (keys, sqlWithinKeys, sql, values) = ([], isKept, isKept, [:])
            return
        }
        let limits = ExpiryCondition.keeperLimits(lowest, highest)
        sqlWithinKeys = "\(mayBeKept) AND \(isKept)"
        if let range = NumeralRange(lowest, highest), let key = condition.bound.textKey,
            try !range.areAnyDotted(key, of: condition.bound.table, in: db)
        {
            keys = NumeralRange.ranges(of: key)
            let isInRange = NumeralRange.ranges(of: "+" + key).joined(separator: " OR ")
            sql = "(\(isInRange)) AND \(sqlWithinKeys)"
            values = limits.merging(range.values) { $1 }
        } else {
            (keys, sql, values) = ([], sqlWithinKeys, limits)
        }
    }
}
