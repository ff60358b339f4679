import FoundationEssentials
import Pruning
import SQLite

/// The archive while rows of a part return to their store.
struct FileReturn: ArchiveReturn {
    private let part: ArchivedPart
    private let archive: ArchiveFile
    private let writer: FileWriter

    init(_ part: ArchivedPart, in archive: ArchiveFile, _ control: RunControl) throws(StoreError) {
        (self.part, self.archive) = (part, archive)
        writer = try FileWriter(archive.place, control)
    }

    func batch(_ id: Int64) throws(StoreError) -> ArchivedBatch? {
        try writer.read("read an archived batch") { db in try archive.batch(id, of: part, in: db) }
    }

    func lease(
        _ fingerprints: [UInt64], of batch: Int64, until end: Date, places: Places
    ) throws(StoreError) {
        try writer.write("lease rows of \(part.table)") { db in
            try add(fingerprints, until: end, of: batch, places: places, in: db)
        }
    }

    private func add(
        _ fingerprints: [UInt64], until end: Date, of batch: Int64, places: Places, in db: Database
    ) throws {
        let bytes = FingerprintEncoding.bytes(fingerprints)
        try db.execute(
            """
            INSERT INTO lease (store, "table", until, fingerprints, checksum, run_id, rule, batch, places)
            VALUES (:store, :table, :until, :fingerprints, :checksum, :run, :rule, :batch, :places)
            """,
            ArchiveFile.values(
                of: part,
                and: [
                    "until": .int64(Int64(end.timeIntervalSince1970.rounded(.up))),
                    "fingerprints": .blob(bytes), "checksum": .int64(ArchiveChecksum.lease(bytes)),
                    "batch": .int64(batch), "places": .blob(places.bytes),
                ]))
    }

    func settle(
        _ batch: ArchivedBatch, _ remaining: (rows: [[ArchivedValue]], places: Places), back: Set<Int>,
        until end: Date
    ) throws(StoreError) {
        let rows = batch.rows.with(remaining.rows)
        let count = DatabaseValue.int64(rows.count)
        try writer.write("take what was put back out of the archive") { db in
            let id = ArchiveFile.values(of: part, and: ["id": .int64(batch.id)])
            guard
                let head = try db.row(
                    "SELECT columns, has_place FROM batch WHERE id = :id AND \(ArchiveFile.isOfPart)", id)
            else { return }
            let checksum = ArchiveChecksum.batch(
                head[0].string, place: head[1], count: count, rows: rows.bytes)
            try db.execute(
                """
                UPDATE batch SET rows = :rows, row_count = :count, checksum = :checksum
                WHERE id = :id AND \(ArchiveFile.isOfPart)
                """,
                id.merging(["rows": .blob(rows.bytes), "count": count, "checksum": .int64(checksum)]) { $1 })
            try IdentityTable.drop(back, of: batch.id, rows: Int(batch.rows.count), in: part.runID, db)
            // The remaining rows have new positions.
            try db.execute(
                "UPDATE lease SET batch = NULL, places = NULL WHERE batch = :id AND \(ArchiveFile.isOfPart)",
                id)
            // Rows that an earlier restore may have put back are still in return.
            if !remaining.rows.isEmpty, batch.isInReturn || !remaining.places.isEmpty {
                try add([], until: end, of: batch.id, places: remaining.places, in: db)
            }
        }
    }

    func maintain() throws(StoreError) { try writer.maintain() }

    func close() { writer.close() }
}

extension ArchiveFile {
    /// See ``RowArchive``.
    package func openReturn(
        of part: ArchivedPart, _ control: RunControl
    ) throws(StoreError) -> any ArchiveReturn { try FileReturn(part, in: self, control) }
}
