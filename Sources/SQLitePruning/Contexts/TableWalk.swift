import GRDB

/// The walk: the table in key order, range by range.
///
/// Neighbouring rows share pages, so a batch writes each page once. Ranges without an expired row are passed without
/// taking the lock.
final class TableWalk: BatchSource {
    private let condition: ExpiryCondition
    /// The last key of the last range; nil before the first.
    private var position: TableKey?

    /// Ranges to pass without a hit before the worker gets a chance to stop.
    private static let mostEmptyRanges = 64

    init(condition: ExpiryCondition) {
        self.condition = condition
    }

    func next(rows: Int, in db: Database) throws -> BatchSlice? {
        for _ in 0..<Self.mostEmptyRanges {
            let slice = try slice(rows: rows, in: db)
            if try slice.end == nil || holdsExpiredRow(slice, in: db) { return slice }
            position = slice.end
        }
        return nil
    }

    func didDelete(_ slice: BatchSlice) {
        position = slice.end
    }

    func isLast(_ slice: BatchSlice, deleted: Int) -> Bool {
        slice.end == nil
    }

    private var table: TableSchema { condition.bound.table }

    private func slice(rows: Int, in db: Database) throws -> BatchSlice {
        let start = position.map { "\(table.keySQL) > \($0.sql("from"))" }
        let order = table.key.map(table.column).joined(separator: ", ")
        let statement = try db.cachedStatement(
            sql: """
                SELECT \(TableKey.selection(table)) FROM \(table.name.quotedIdentifier) \
                \(start.map { "WHERE " + $0 } ?? "") ORDER BY \(order) LIMIT 1 OFFSET :skipped
                """)
        var arguments = position?.arguments("from") ?? [:]
        condition.bind(to: statement, arguments.merging(["skipped": (rows - 1).databaseValue]) { $1 })
        let end = try Row.fetchOne(statement).map(TableKey.init)
        arguments.merge(end?.arguments("to") ?? [:]) { $1 }
        let terms = [start, end.map { "\(table.keySQL) <= \($0.sql("to"))" }, condition.expiredByKey]
        return BatchSlice(
            fromWhere: "FROM \(table.name.quotedIdentifier) WHERE "
                + terms.compactMap(\.self).joined(separator: " AND "),
            arguments: arguments, rows: rows, end: end)
    }

    private func holdsExpiredRow(_ slice: BatchSlice, in db: Database) throws -> Bool {
        let statement = try db.cachedStatement(sql: "SELECT 1 \(slice.fromWhere) LIMIT 1")
        condition.bind(to: statement, slice.arguments)
        return try Row.fetchOne(statement) != nil
    }
}
