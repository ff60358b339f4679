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

    /// What `bound` says now. Cheap: the keeper's column is indexed.
    init(of bound: BoundRule, in db: Database) throws {
        guard let keeper = bound.keeper else {
            self = .none
            return
        }
        let (column, table) = (keeper.table.column(keeper.column), keeper.table.name.quotedIdentifier)
        // One statement, and so of one state of the store.
        self.init(
            try db.row(
                """
                SELECT (SELECT min(\(column)) FROM \(table)), (SELECT max(\(column)) FROM \(table))
                """))
    }

    /// The same of the keeper's rows that a dry run does not take for deleted. It passes those that it does take for
    /// deleted at either end, and so costs no more than their own rule's dry run did.
    init(ofRowsThatStay condition: ExpiryCondition, in db: Database) throws {
        guard let keeper = condition.bound.keeper, !condition.keeperStays.isEmpty else {
            try self.init(of: condition.bound, in: db)
            return
        }
        let row = condition.keeperRow
        let column = row + "." + keeper.column.quotedIdentifier
        let stays = (["\(column) IS NOT NULL"] + condition.keeperStays).joined(separator: " AND ")
        let limits = ["ASC", "DESC"].map { direction in
            """
            (SELECT \(column) FROM \(keeper.table.name.quotedIdentifier) AS \(row) WHERE \(stays) \
            ORDER BY \(column) \(direction) LIMIT 1)
            """
        }
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
