import GRDB

/// The search by time: expired rows as an index finds them, a limited number at once.
final class TimeSearch: BatchSource {
    private let condition: ExpiryCondition

    init(condition: ExpiryCondition) {
        self.condition = condition
    }

    func next(rows: Int, in db: Database) throws -> BatchSlice? {
        let table = condition.bound.table
        let name = table.name.quotedIdentifier
        let keys = table.key.map(table.column).joined(separator: ", ")
        return BatchSlice(
            fromWhere: """
                FROM \(name) WHERE \(table.keySQL) IN \
                (SELECT \(keys) FROM \(name) WHERE \(condition.expiredByTime) LIMIT :most) \
                AND \(condition.expiredByKey)
                """,
            arguments: ["most": rows.databaseValue], rows: rows, end: nil)
    }

    func didDelete(_ slice: BatchSlice) {}

    /// The search has found all there is when it does not fill a batch. A row that a trigger, made in mid-run, keeps
    /// from being deleted would be found for ever, so a batch that it leaves unfilled is the last one, too.
    func isLast(_ slice: BatchSlice, deleted: Int) -> Bool {
        deleted < slice.rows
    }
}
