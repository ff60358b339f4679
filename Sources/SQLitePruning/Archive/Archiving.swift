import GRDBSQLite
import Pruning

/// Deletes rows that the archive has: they are on its disk before the transaction that deletes them is committed, so
/// whoever is killed leaves a row in both places, and never in neither.
final class Archiving {
    private let archive: any RowArchive
    private let control: RunControl
    /// Nil until there is something to keep.
    private var writer: (any ArchiveWriter)?
    /// Whether rows were kept in a transaction that is not committed yet.
    private var isPending = false

    init(archive: any RowArchive, control: RunControl) {
        self.archive = archive
        self.control = control
    }

    /// Runs a DELETE on `table`, and keeps what it deleted.
    func run(
        _ deletion: String, _ values: [String: DatabaseValue], of task: PruneTask, on table: TableSchema,
        in db: Database
    ) throws {
        try checkEncoding(task, in: db)
        let columns = table.archivedColumns
        // The + keeps SQLite (seen with 3.40.1) from returning every number as a real one where the table's first
        // column has REAL affinity.
        let (bytes, count) = try db.encodedRows(
            "\(deletion) RETURNING \(columns.map { "+" + table.column($0) }.joined(separator: ", "))", values,
            limit: Self.mostBytes)
        guard count > 0 else { return }
        let writer = try self.writer ?? archive.openWriter(control)
        self.writer = writer
        try writer.keep(ArchivedRows(columns: columns, bytes: bytes, count: count), of: task)
        isPending = true
    }

    /// Of the rows of a batch, which is in memory as a whole, more than once. Usual rows do not come near it.
    private static let mostBytes = 16 << 20

    /// The bytes of a text can be had without change only where it is stored as UTF-8.
    private func checkEncoding(_ task: PruneTask, in db: Database) throws {
        guard try db.value("PRAGMA encoding").string != "UTF-8" else { return }
        throw StoreError(
            .unsupported, operation: "archive rows of \(task.rule.table)", place: task.rule.store.description,
            cause: "the store keeps text as UTF-16", hint: "rules on such a store cannot have archive = true")
    }

    /// To be called when the transaction of a batch was committed.
    func pass() {
        isPending = false
    }

    /// To be called when the transaction of a batch has failed. Where it may have been committed for all that is known, as
    /// after an error of the disk's, the rows stay in the archive, too.
    func takeBack(after error: any Error) {
        let wasPending = isPending
        isPending = false
        guard wasPending, let error = error as? DatabaseError,
            error.isConstraint || error.code & 0xFF == SQLITE_BUSY
        else { return }
        // What fails leaves the rows in both places, as a kill does.
        try? writer?.takeBack()
    }

    func maintain() throws(StoreError) {
        try writer?.maintain()
    }

    func close() {
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
