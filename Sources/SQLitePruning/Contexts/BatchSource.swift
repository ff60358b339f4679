import GRDB

/// Where the next rows to delete are: the part of a plan that differs between plans.
protocol BatchSource: AnyObject {
    /// Finds the next rows, looking at `rows` at the most; outside of any transaction, for looking needs no lock.
    ///
    /// Nil when many rows were looked at and none is expired so far; call again. The same slice comes again until
    /// ``didDelete(_:)``.
    func next(rows: Int, in db: Database) throws -> BatchSlice?

    /// The slice was deleted, and committed.
    func didDelete(_ slice: BatchSlice)

    /// Whether nothing comes after a slice of which `deleted` rows were deleted.
    func isLast(_ slice: BatchSlice, deleted: Int) -> Bool
}

/// A part of a table that one batch prunes.
struct BatchSlice {
    /// `FROM` the table `WHERE` a row is in the slice and expired.
    let fromWhere: String
    /// What `fromWhere` binds besides the condition's values.
    let arguments: [String: DatabaseValue]
    /// The rows to look at.
    let rows: Int
    /// The last key of the slice; nil when it is the rest of the table.
    let end: TableKey?
}
