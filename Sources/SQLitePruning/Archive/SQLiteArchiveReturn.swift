import FoundationEssentials
import Pruning
import SQLite

/// The archive while rows of a part return to their store.
struct SQLiteArchiveReturn: ArchiveReturn {
    private let part: ArchivedPart
    private let writer: SQLiteArchiveWriter

    init(_ part: ArchivedPart, in writer: SQLiteArchiveWriter) {
        (self.part, self.writer) = (part, writer)
    }

    func lease(_ fingerprints: [UInt64], of batch: Int64, until end: Date) throws(StoreError) {
        guard !fingerprints.isEmpty else { return }
        try writer.write("lease rows of \(part.table)") { db in
            try add(fingerprints, until: end, of: batch, places: Places().blob, in: db)
        }
    }

    /// The same, with the places of the rows. Without any, the batch is not in return.
    func lease(
        _ fingerprints: [UInt64], of batch: Int64, until end: Date, places: Places
    ) throws(StoreError) {
        guard !fingerprints.isEmpty else { return }
        try writer.write("lease rows of \(part.table)") { db in
            try add(
                fingerprints, until: end, of: batch, places: places.isEmpty ? .null : places.blob, in: db)
        }
    }

    private func add(
        _ fingerprints: [UInt64], until end: Date, of batch: Int64, places: DatabaseValue, in db: Database
    ) throws {
        let bytes = FingerprintEncoding.bytes(fingerprints)
        try db.execute(
            """
            INSERT INTO lease (store, "table", until, fingerprints, checksum, run_id, rule, batch, places)
            VALUES (:store, :table, :until, :fingerprints, :checksum, :run, :rule, :batch, :places)
            """,
            SQLiteArchive.values(
                of: part,
                and: [
                    "until": .int64(Int64(end.timeIntervalSince1970.rounded(.up))),
                    "fingerprints": .blob(bytes), "checksum": .int64(ArchiveChecksum.lease(bytes)),
                    "batch": places == .null ? .null : .int64(batch), "places": places,
                ]))
    }

    func settle(_ batch: ArchivedBatch, rows: [UInt8], count: Int64, back: Set<Int>) throws(StoreError) {
        try settle(
            batch.id, of: Int(batch.rows.count), rows: rows, count: count, back: back, places: Places(),
            until: .distantPast)
    }

    /// Leaves only `rows` of the batch, which had `all`, in the archive. `places` are those of the rows that are left.
    func settle(
        _ batch: Int64, of all: Int, rows: [UInt8], count: Int64, back: Set<Int>, places: Places,
        until end: Date
    ) throws(StoreError) {
        let count = DatabaseValue.int64(count)
        try writer.write("take what was put back out of the archive") { db in
            let id = SQLiteArchive.values(of: part, and: ["id": .int64(batch)])
            guard
                let head = try db.row(
                    "SELECT columns, has_place FROM batch WHERE id = :id AND \(SQLiteArchive.isOfPart)", id)
            else { return }
            let checksum = ArchiveChecksum.batch(head[0].string, place: head[1], count: count, rows: rows)
            try db.execute(
                """
                UPDATE batch SET rows = :rows, row_count = :count, checksum = :checksum
                WHERE id = :id AND \(SQLiteArchive.isOfPart)
                """,
                id.merging(["rows": .blob(rows), "count": count, "checksum": .int64(checksum)]) { $1 })
            try IdentityTable.drop(back, of: batch, rows: all, in: part.runID, db)
            // The remaining rows have new positions.
            try db.execute(
                "UPDATE lease SET batch = NULL, places = NULL WHERE batch = :id AND \(SQLiteArchive.isOfPart)",
                id)
            if !places.isEmpty { try add([], until: end, of: batch, places: places.blob, in: db) }
        }
    }

    func maintain() throws(StoreError) { try writer.maintain() }

    func close() { writer.close() }
}
