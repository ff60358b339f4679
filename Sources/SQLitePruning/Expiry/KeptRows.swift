import SQLite

/// The SQL of "the keeper keeps this row", for statements that evaluate it for many rows. For most rows it only
/// compares the key with the smallest and the greatest value in the keeper, without a search.
struct KeptRows {
    /// SQL that is true if the keeper keeps the row. SQLite evaluates it for each row that a statement reads, and can
    /// use no index for it. A damaged index could hide rows, and a row that is not found here is deleted.
    let sql: String
    /// The named parameters of ``sql``.
    let values: [String: DatabaseValue]
    /// SQL for the key that orders the table, if the range of keys that the keeper may keep is known; else nil.
    private let orderedKey: String?

    /// Looks at the keeper as it is now. Nil if it keeps no row.
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

    /// SQL for the parts of `keys` in which the keeper may keep rows; nil if it may keep rows in any part.
    func ranges(within keys: KeyRange) -> [String]? {
        orderedKey.map {
            NumeralRange.ranges(of: $0, after: keys.after?.sql("after"), upTo: keys.upTo?.sql("upTo"))
        }
    }
}
