import SQLite

/// Which keys of a rule's table its keeper may hold, from the smallest and the greatest value that stand there now.
///
/// Looking every row's key up in the keeper costs more than deleting the row, and in the usual case all expired rows
/// are older than anything that the keeper has.
enum KeeperReach: Equatable {
    /// None: there is no keeper, or nothing stands in it.
    case none
    /// Keys that compare as numbers between these.
    case between(Int64, Int64)
    /// Nothing is known.
    case any

    /// What `condition` says now, of the keeper's rows that a dry run does not take for deleted. Cheap: the column is
    /// indexed. It passes those that the dry run does take for deleted at either end, and so costs no more than their own
    /// rule's dry run did.
    init(of condition: ExpiryCondition, in db: Database) throws {
        guard let keeper = condition.bound.keeper, let search = keeper.searches.first else {
            self = .none
            return
        }
        let row = condition.keeperRow
        let column = row.quotedIdentifier + "." + keeper.column.quotedIdentifier
        let stays = (["\(column) IS NOT NULL"] + condition.keeperStays).joined(separator: " AND ")
        let limits = ["ASC", "DESC"].map { direction in
            """
            (SELECT \(column) FROM \(keeper.rows(row, search)) WHERE \(stays) \
            ORDER BY \(column) COLLATE \(search.collation.quotedIdentifier) \(direction) LIMIT 1)
            """
        }
        // One statement, and so of one state of the store.
        self.init(try db.row("SELECT " + limits.joined(separator: ", "), condition.values()))
    }

    /// From the smallest and the greatest value.
    private init(_ limits: Row?) {
        self =
            switch (limits?[0], limits?[1]) {
            case (.null, _), (_, .null): .none
            // Text and blobs are greater than any number: all values are numbers.
            case (.int64(let lowest), .int64(let highest)): .between(lowest, highest)
            default: .any
            }
    }
}
