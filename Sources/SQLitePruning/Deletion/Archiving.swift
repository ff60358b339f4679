import Archive
import CSQLite
import Pruning
import SQLite

/// Deletes rows that the archive has, see ``PendingRows``.
///
/// Archiving waits for the disk. If an app could wait for the store's lock meanwhile, the rows are archived before the
/// lock is taken. The rows that the DELETE returns are then compared with them, byte for byte.
final class Archiving {
    private let pending: PendingRows
    /// Whether the connection knows the function of ``RowWitness``.
    private var knowsWitness = false

    init(archive: any RowArchive, control: RunControl) {
        pending = PendingRows(in: archive, control: control)
    }

    /// See ``PendingRows/open()``.
    func open() throws(StoreError) { try pending.open() }

    /// Archives the rows of `place`, which will probably be deleted or marked.
    func prepare(
        _ bound: BoundRule, _ place: String, _ values: [String: DatabaseValue], of task: PruneTask,
        in db: Database
    ) throws {
        _ = try archive(bound, place, values, of: task, in: db)
    }

    /// Archives the rows of `place` if they are not those that were prepared. Returns their number.
    func archive(
        _ bound: BoundRule, _ place: String, _ values: [String: DatabaseValue], of task: PruneTask,
        in db: Database
    ) throws -> Int64 {
        let (sql, head) = Self.selection(bound)
        if !head.witness.isEmpty, !knowsWitness {
            try RowWitness.define(in: db)
            knowsWitness = true
        }
        let rows = try read(bound, "SELECT \(sql) \(bound.from(place))", values, as: head, in: db)
        try pending.archive(rows, of: task)
        return rows.count
    }

    /// Deletes the rows of `place`, which leave no tombstones. Archives the deleted rows if they are not those that were
    /// prepared.
    func delete(
        _ bound: BoundRule, _ place: String, _ values: [String: DatabaseValue], of task: PruneTask,
        in db: Database
    ) throws {
        let (sql, head) = Self.selection(bound)
        let deletion = "DELETE \(bound.from(place)) RETURNING \(sql)"
        try pending.archive(read(bound, deletion, values, as: head, in: db), of: task)
    }

    /// `sql` selects or returns ``selection(_:)``.
    private func read(
        _ bound: BoundRule, _ sql: String, _ values: [String: DatabaseValue], as head: ArchivedRows,
        in db: Database
    ) throws -> ArchivedRows {
        var rows = head
        (rows.bytes, rows.count, rows.identities) = try db.encodedRows(
            sql, values, limit: Self.mostBytes, identifiedBy: bound.identity?.names.count ?? 0)
        rows.identityKind = bound.identity?.source.kind
        return rows
    }

    /// What is archived of a row: all of a deleted one, and of a marked one its key, what the mark overwrites, and a hash
    /// of the rest. With tombstones, also whether the run adds the row's tombstone. Behind that come the columns of its identity.
    private static func selection(_ bound: BoundRule) -> (sql: String, head: ArchivedRows) {
        let (sql, head) = archivedSelection(bound)
        return ([sql, bound.identity?.selection].compactMap(\.self).joined(separator: ", "), head)
    }

    private static func archivedSelection(_ bound: BoundRule) -> (sql: String, head: ArchivedRows) {
        guard let mark = bound.mark else {
            var (sql, head) = (selection(bound.table), head(bound.table))
            if let tombstones = bound.tombstones {
                sql += ", " + tombstones.isMissing
                head.tombstone = bound.rule.tombstone
            }
            return (sql, head)
        }
        let columns = bound.table.primaryKey + mark.names
        var values = columns.map { "+" + bound.table.column($0) }
        var head = ArchivedRows(columns: columns, action: bound.rule.action)
        head.witness = RowWitness.columns(of: bound)
        if !head.witness.isEmpty { values.append(RowWitness.sql(head.witness, of: bound.table)) }
        return (values.joined(separator: ", "), head)
    }

    private static func head(_ table: TableSchema) -> ArchivedRows {
        ArchivedRows(columns: table.archivedColumns, hasPlace: table.archivesRowID)
    }

    /// Without the `+`, SQLite (seen with 3.40.1) returns every number as a real number if the table's first column has
    /// REAL affinity.
    private static func selection(_ table: TableSchema) -> String {
        table.archivedColumns.map { "+" + table.column($0) }.joined(separator: ", ")
    }

    /// Limits the rows of a batch, which are in memory more than once. Usual rows stay far below it.
    private static let mostBytes = 16 << 20

    /// Call this when the transaction of a batch was committed.
    func pass() { pending.pass() }

    /// Call this when a batch failed. If its transaction may have been committed, as after a disk error, the rows also
    /// stay in the archive. Otherwise they wait there for the next try, or for ``close(_:)``.
    func fail(with error: any Error) {
        guard let error = error as? DatabaseError, !error.isConstraint else { return }
        if ![SQLITE_BUSY, SQLITE_INTERRUPT].contains(error.code & 0xFF) { pending.doubt() }
    }

    func maintain() throws(StoreError) { try pending.maintain() }

    /// See ``PendingRows/close(_:)``.
    func close(_ areSafe: () -> Bool) { pending.close(areSafe) }
}

extension RowEncoding {
    /// Appends the value in `column` of the current row of `statement`.
    static func append(column: CInt, of statement: OpaquePointer, to bytes: inout [UInt8]) {
        switch sqlite3_column_type(statement, column) {
        case SQLITE_INTEGER: append(sqlite3_column_int64(statement, column), to: &bytes)
        case SQLITE_FLOAT: append(sqlite3_column_double(statement, column), to: &bytes)
        case SQLITE_TEXT: append(content(of: statement, column), as: .text, to: &bytes)
        case SQLITE_BLOB: append(content(of: statement, column), as: .blob, to: &bytes)
        default: append(.null, to: &bytes)
        }
    }

    private static func content(of statement: OpaquePointer, _ column: CInt) -> UnsafeRawBufferPointer {
        let start = sqlite3_column_blob(statement, column)
        return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, column)))
    }

    /// Appends an argument of an SQL function as part of a key.
    static func appendKey(argument value: OpaquePointer?, to bytes: inout [UInt8]) {
        switch sqlite3_value_type(value) {
        case SQLITE_INTEGER: append(sqlite3_value_int64(value), to: &bytes)
        case SQLITE_FLOAT: appendKey(sqlite3_value_double(value), to: &bytes)
        case SQLITE_TEXT: append(content(of: value), as: .text, to: &bytes)
        case SQLITE_BLOB: append(content(of: value), as: .blob, to: &bytes)
        default: append(.null, to: &bytes)
        }
    }

    private static func content(of value: OpaquePointer?) -> UnsafeRawBufferPointer {
        let start = sqlite3_value_blob(value)
        return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
    }
}
