/// The SQL of "the keeper keeps this row" for statements that ask it of many rows: most are answered by comparing the
/// row's key with the least and the greatest value that stand in the keeper, without a look into it.
struct KeptRows {
    let sql: String
    /// What stands in ``sql`` by name.
    let values: [String: DatabaseValue]

    /// What `condition` says now; nil where it keeps no row for its keeper's sake.
    init?(_ condition: ExpiryCondition, in db: Database) throws {
        let reach = try KeeperReach(ofRowsThatStay: condition, in: db)
        guard reach != .none, let notKept = condition.notKept else { return nil }
        guard case .between(let lowest, let highest) = reach, let mayBeKept = condition.mayBeKept else {
            (sql, values) = ("NOT (\(notKept))", [:])
            return
        }
        sql = "\(mayBeKept) AND NOT (\(notKept))"
        values = ExpiryCondition.keeperLimits(lowest, highest)
    }
}
