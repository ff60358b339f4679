import CSQLite
import Pruning
import SQLite

/// Deletes rows that the archive has: they are on its disk before the transaction that deletes them is committed, so
/// whoever is killed leaves a row in both places, and never in neither.
///
/// The archive waits for its disk. Where an app would wait with it for the store's lock, rows are archived before there
/// is a lock, and what the DELETE then took is compared with them, byte for byte.
final class Archiving {
    private let archive: any RowArchive
    private let control: RunControl
    /// Nil until there is something to archive.
    private var writer: (any ArchiveWriter)?
    /// What the archive has of rows that are in the store, too: no transaction that deletes them was committed yet.
    private var pending: ArchivedRows?
    /// Whether rows were archived that only their place may tell from others.
    private var hasPlaces = false
    /// Whether it is not known of some transaction that deletes rows if it was committed.
    private var isInDoubt = false

    init(archive: any RowArchive, control: RunControl) {
        self.archive = archive
        self.control = control
    }

    /// Archives `rows` ("FROM ... WHERE ...") of `table`, which ``delete(_:_:of:on:in:)`` will probably delete.
    func prepare(
        _ rows: String, _ values: [String: DatabaseValue], of task: PruneTask, on table: TableSchema,
        in db: Database
    ) throws {
        try archive(read("SELECT \(Self.selection(table)) \(rows)", values, of: table, in: db), of: task)
    }

    /// Deletes `rows` ("FROM ... WHERE ...") of `table`, and archives what it deleted if that is not what was prepared.
    func delete(
        _ rows: String, _ values: [String: DatabaseValue], of task: PruneTask, on table: TableSchema,
        in db: Database
    ) throws {
        try archive(
            read("DELETE \(rows) RETURNING \(Self.selection(table))", values, of: table, in: db), of: task)
    }

    private func archive(_ rows: ArchivedRows, of task: PruneTask) throws {
        guard rows != pending else { return try writer?.checkPlace() ?? () }
        try takeBack()
        guard rows.count > 0 else { return }
        let writer = try self.writer ?? archive.openWriter(control)
        self.writer = writer
        try writer.archive(rows, of: task)
        if rows.hasPlace { hasPlaces = true }
        pending = rows
    }

    private func read(
        _ sql: String, _ values: [String: DatabaseValue], of table: TableSchema, in db: Database
    ) throws -> ArchivedRows {
        let (bytes, count) = try db.encodedRows(sql, values, limit: Self.mostBytes)
        return ArchivedRows(
            columns: table.archivedColumns, hasPlace: table.archivesRowID, bytes: bytes, count: count)
    }

    /// The + keeps SQLite (seen with 3.40.1) from returning every number as a real one where the table's first column has
    /// REAL affinity.
    private static func selection(_ table: TableSchema) -> String {
        table.archivedColumns.map { "+" + table.column($0) }.joined(separator: ", ")
    }

    /// Of the rows of a batch, which is in memory as a whole, more than once. Usual rows do not come near it.
    private static let mostBytes = 16 << 20

    /// To be called when the transaction of a batch was committed.
    func pass() {
        pending = nil
    }

    /// To be called when a batch has failed. Where its transaction may have been committed for all that is known, as after
    /// an error of the disk's, the rows stay in the archive, too. Else they wait there for the next try, or ``close()``.
    func fail(with error: any Error) {
        guard let error = error as? DatabaseError, !error.isConstraint else { return }
        if ![SQLITE_BUSY, SQLITE_INTERRUPT].contains(error.code & 0xFF) {
            isInDoubt = isInDoubt || pending != nil
            pending = nil
        }
    }

    private func takeBack() throws {
        guard pending != nil else { return }
        pending = nil
        try writer?.takeBack()
    }

    func maintain() throws(StoreError) {
        try writer?.maintain()
    }

    /// Closes the archive. `areSafe` tells whether a power cut would undo no deletion; it is asked where that matters.
    func close(_ areSafe: () -> Bool) {
        // What fails leaves the rows in both places, as a kill does.
        do {
            try takeBack()
            if hasPlaces, !isInDoubt, areSafe() { try writer?.noteDeleted() }
        } catch {}
        writer?.close()
        writer = nil
    }
}

extension RowEncoding {
    /// Appends what stands in `column` of the row at which `statement` stands.
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

    /// Appends an argument of an SQL function as a part of a key.
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
