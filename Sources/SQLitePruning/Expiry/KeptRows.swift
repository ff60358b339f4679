import SQLite

/// The SQL of "the keeper keeps this row" for statements that ask it of many rows: most are answered by comparing the
/// row's key with the least and the greatest value that stand in the keeper, without a look into it.
struct KeptRows {
    /// SQL: the keeper keeps this row. It is asked of each row that a statement reads, and leads SQLite to no index: one
    /// that is damaged could hide rows, and what is not found here goes.
    let sql: String
    /// What stands in the SQL by name.
    let values: [String: DatabaseValue]
    /// SQL for the key by which the table is ordered, where it is known which keys the keeper may keep.
    private let orderedKey: String?

    /// What `condition` says now; nil where it keeps no row for its keeper's sake.
    init?(_ condition: ExpiryCondition, in db: Database) throws {
        let reach = try KeeperReach(of: condition, in: db)
        guard reach != .none, let notKept = condition.notKept else { return nil }
        guard case .between(let lowest, let highest) = reach, let mayBeKept = condition.mayBeKept else {
            (sql, values, orderedKey) = ("NOT (\(notKept))", [:], nil)
            return
        }
        let limits = ExpiryCondition.keeperLimits(lowest, highest)
        let isKept = "\(mayBeKept) AND NOT (\(notKept))"
        if let range = NumeralRange(lowest, highest), let key = condition.bound.textKey,
            try !range.areAnyDotted(key, of: condition.bound.table, in: db)
        {
            sql = "\(NumeralRange.holds("+" + key)) AND \(isKept)"
            (values, orderedKey) = (limits.merging(range.values) { $1 }, key)
        } else {
            (sql, values, orderedKey) = (isKept, limits, nil)
        }
    }

    /// SQL for the ranges of keys outside of which the keeper keeps none of the rows that are between two keys; nil where it
    /// might keep any.
    func ranges(within keys: KeyRange) -> [String]? {
        orderedKey.map {
            NumeralRange.ranges(of: $0, after: keys.after?.sql("after"), upTo: keys.upTo?.sql("upTo"))
        }
    }
}
