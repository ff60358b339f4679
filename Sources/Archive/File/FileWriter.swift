import FoundationEssentials
import Glibc
import Pruning
import Retention
import SQLite

/// The archive's file, open for writing.
final class FileWriter: ArchiveWriter {
    private let place: ArchivePlace
    private let connection: any ArchiveConnection
    /// A log longer than this is checkpointed between two batches.
    private static let checkpointPages = 2_000
    private var log: Int64 = 0
    /// The batch that was archived last.
    private var last: Int64?
    /// The runs and rules whose rows were archived.
    private var archived: Set<[String]> = []

    init(_ place: ArchivePlace, _ control: RunControl) throws(StoreError) {
        self.place = place
        connection = try place.open(control)
    }

    func archive(_ rows: ArchivedRows, of task: PruneTask) throws(StoreError) {
        guard let runID = task.runID, let keep = task.rule.archiveKeep else {
            throw StoreError(
                .other, operation: "archive rows of \(task.rule.table)", place: place.path,
                cause: "they belong to no run")
        }
        let columns = try ArchiveHead.text(of: rows, place: place.path)
        let (hasPlace, count) = (DatabaseValue.int64(rows.hasPlace ? 1 : 0), DatabaseValue.int64(rows.count))
        let checksum = ArchiveChecksum.batch(columns, place: hasPlace, count: count, rows: rows.bytes)
        last = try write("archive rows of \(task.rule.table)") { [place] db in
            try db.execute(
                """
                INSERT INTO batch (run_id, rule, store, "table", columns, archived_at, expires_at, row_count, rows,
                    has_place, checksum)
                VALUES (:run, :rule, :store, :table, :columns, :now, :expires, :count, :rows, :place, :checksum)
                """,
                [
                    "run": .text(runID.description), "rule": .text(task.rule.name.description),
                    "store": .text(task.rule.store.description), "table": .text(task.rule.table),
                    "columns": .text(columns), "now": Self.seconds(task.start),
                    "expires": Self.seconds(keep.after(task.start, in: task.timeZone)),
                    "count": count, "rows": .blob(rows.bytes), "place": hasPlace,
                    "checksum": .int64(checksum),
                ])
            let batch = db.lastInsertedRowID
            try IdentityTable.add(rows, to: batch, of: task, in: runID, db)
            try Self.checkSize(place, task, in: db)
            return batch
        }
        noteWritten(rows.bytes.count + IdentityTable.width * rows.identities.count)
        archived.insert([runID.description, task.rule.name.description])
    }

    func noteDeleted() throws(StoreError) {
        try write("note that rows are deleted") { [archived] db in
            // If no rows of a run are left in the archive, its entry is no longer needed.
            try db.execute(
                """
                DELETE FROM deletion WHERE NOT EXISTS
                    (SELECT 1 FROM batch WHERE batch.run_id = deletion.run_id AND batch.rule = deletion.rule)
                """)
            for part in archived {
                try db.execute(
                    "INSERT INTO deletion VALUES (:run, :rule) ON CONFLICT DO NOTHING",
                    ["run": .text(part[0]), "rule": .text(part[1])])
            }
        }
        archived = []
    }

    func takeBack() throws(StoreError) {
        guard let id = last else { return }
        last = nil
        try write("take rows back out of the archive") { db in
            try db.execute("DELETE FROM batch WHERE id = :id", ["id": .int64(id)])
        }
    }

    private static let pageBytes: Int64 = 4_096

    private static func seconds(_ date: Date) -> DatabaseValue {
        .int64(Int64(date.timeIntervalSince1970.rounded(.down)))
    }

    /// Free pages in the file count as room.
    private static func checkSize(_ place: ArchivePlace, _ task: PruneTask, in db: Database) throws {
        let pages = try db.value("PRAGMA page_count").integer - db.value("PRAGMA freelist_count").integer
        let size = try pages * db.value("PRAGMA page_size").integer
        guard let (cause, key) = place.limit.refusal(of: size) else { return }
        throw StoreError(
            .archiveFull, operation: "run rule \(task.rule.name)", place: place.path,
            cause: cause,
            hint: "raise \(key) in [archive], shorten archive_keep for rows to come, or set archive = false"
        )
    }

    /// Runs `body` in a transaction. The transaction is on the disk when this returns.
    func write<Result>(
        _ operation: String, _ body: (Database) throws -> Result
    ) throws(StoreError) -> Result {
        try place.naming { () throws(StoreError) in
            let result = try connection.write(operation, body)
            try checkPlace()
            return result
        }
    }

    /// Rows that are written to a deleted file are lost with it.
    func checkPlace() throws(StoreError) {
        guard FileFacts(at: place.path)?.identity == connection.identity else {
            throw StoreError(
                .replaced, operation: "archive rows", place: place.path,
                cause: "the archive was deleted or moved away while it was open",
                hint: "the next run creates a new one")
        }
    }

    /// Reads the archive.
    func read<Result>(
        _ operation: String, _ body: (Database) throws -> Result
    ) throws(StoreError) -> Result {
        try place.naming { () throws(StoreError) in try connection.perform(operation, body) }
    }

    /// Counts bytes that a transaction has added to the log.
    func noteWritten(_ bytes: Int) { log += Int64(bytes) / Self.pageBytes + 1 }

    func maintain() throws(StoreError) {
        guard log >= Self.checkpointPages else { return }
        log = 0
        _ = try read("checkpoint the archive") { try $0.checkpoint() }
    }

    func close() {
        connection.close()
    }
}

/// An array of strings as JSON.
enum JSONText {
    static func of(_ strings: [String], place: String) throws(StoreError) -> String {
        do {
            return String(decoding: try JSONEncoder().encode(strings), as: UTF8.self)
        } catch {
            throw StoreError(.other, operation: "archive rows", place: place, cause: "\(error)")
        }
    }
}
