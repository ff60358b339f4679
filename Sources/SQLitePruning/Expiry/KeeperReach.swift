import SQLite

/// The range of keys that a rule's keepers may have: from the smallest to the greatest value in their columns now.
///
/// To search the keeper for every row's key costs more than to delete the row. Usually all expired rows are older than
/// anything in the keeper.
enum KeeperReach: Equatable {
    /// No keys: there is no keeper, or its column has no values.
    case none
    /// Keys that compare as numbers between these two.
    case between(Int64, Int64)
    /// The range is unknown.
    case any

    /// The range of the keeper's rows now, without those that a dry run treats as deleted. This is cheap, because the
    /// column is indexed. A dry run reads past the rows that it treats as deleted at either end, which costs no more
    /// than the dry run of the rule that deletes them.
    init(of condition: ExpiryCondition, in db: Database) throws {
        self = try condition.bound.keepers.reduce(.none) { reach, keeper in
            try reach.joined(with: KeeperReach(of: keeper, condition, in: db))
        }
    }

    /// The range of both.
    private func joined(with other: KeeperReach) -> KeeperReach {
        switch (self, other) {
        case (.none, let reach), (let reach, .none): reach
        case (.between(let a, let b), .between(let c, let d)): .between(min(a, c), max(b, d))
        default: .any
        }
    }

    private init(of keeper: Keeper, _ condition: ExpiryCondition, in db: Database) throws {
        guard let search = keeper.searches.first else {
            self = .none
            return
        }
        let row = condition.keeperRow
        let column = row.quotedIdentifier + "." + keeper.column.quotedIdentifier
        let stays = (["\(column) IS NOT NULL"] + condition.stays(keeper)).joined(separator: " AND ")
        let limits = ["ASC", "DESC"].map { direction in
            """
            (SELECT \(column) FROM \(keeper.rows(row, search)) WHERE \(stays) \
            ORDER BY \(column) COLLATE \(search.collation.quotedIdentifier) \(direction) LIMIT 1)
            """
        }
        // A single statement, so that both values are from the same state of the store.
        self.init(try db.row("SELECT " + limits.joined(separator: ", "), condition.values()))
    }

    /// From the smallest and the greatest value.
    private init(_ limits: Row?) {
        self =
            switch (limits?[0], limits?[1]) {
            case (.null, _), (_, .null): .none
            // Text and blobs sort after all numbers, so if the greatest value is a number, all are.
            case (.int64(let lowest), .int64(let highest)): .between(lowest, highest)
            default: .any
            }
    }
}
