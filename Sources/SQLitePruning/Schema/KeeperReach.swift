/// Which keys of a rule's table its keeper may hold, from the smallest and the greatest value that stand there now.
///
/// Looking every row's key up in the keeper costs more than deleting the row, and in the usual case all expired rows
/// are older than anything that the keeper has.
enum KeeperReach {
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
        let limits = try db.row(
            """
            SELECT (SELECT min(\(column)) FROM \(table)), (SELECT max(\(column)) FROM \(table))
            """)
        guard let limits else {
            self = .any
            return
        }
        self =
            switch (limits[0], limits[1]) {
            case (.null, _), (_, .null): .none
            // Text and blobs are greater than any number: all values are numbers.
            case (.int64(let lowest), .int64(let highest)): .between(lowest, highest)
            default: .any
            }
    }
}
