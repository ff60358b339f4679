import Foundation
import Pruning
import Retention

/// Puts archived rows back into a SQLite file.
///
/// The lease of the rows is on the archive's disk before they are in the store, and they leave the archive when they are:
/// whoever is killed between can do all of it again.
final class SQLiteRestorer: RestoringContext {
    private let part: ArchivedPart
    private let leaseEnd: Date
    private let archive: SQLiteArchive
    private let writer: SQLiteArchiveWriter
    private let worker: SQLiteWorker
    private var waiting: ArraySlice<Int64>
    private var current: Progress?
    private var target: (schemaVersion: Int64, columns: [String], target: RestoreTarget)?

    /// How far an archived batch is.
    private struct Progress {
        let batch: SQLiteArchive.Batch
        var done = 0
        /// The rows that were not put back.
        var left: [[ArchivedValue]] = []

        var isDone: Bool { done == batch.rows.count }

        /// The rows that are to stay in the archive.
        var remaining: [[ArchivedValue]] { left + batch.rows[done...] }
    }

    init(
        _ part: ArchivedPart, leaseEnd: Date, archive: SQLiteArchive, worker: SQLiteWorker,
        control: RunControl
    ) throws(StoreError) {
        self.part = part
        self.leaseEnd = leaseEnd
        self.archive = archive
        self.worker = worker
        writer = try SQLiteArchiveWriter(archive: archive, control: control)
        do throws(StoreError) {
            // Rows leave the archive when they are back: by then they must outlive a power cut, which a run's deletions
            // need not. In WAL mode this is FULL.
            try worker.connection.perform("restore run \(part.runID)") {
                try $0.execute("PRAGMA synchronous = EXTRA")
            }
            waiting = try writer.read("look for run \(part.runID)") {
                try SQLiteArchive.batchIDs(of: part, in: $0)
            }[...]
        } catch {
            writer.close()
            throw error
        }
    }

    func restoreBatch(rows: Int) throws(StoreError) -> RestoredBatch {
        // Of a batch that is done: in a call of its own, so that what is thrown here leaves nothing out of account.
        if let done = current, done.isDone {
            try settle()
            current = nil
        } else if current == nil, let next = waiting.first {
            current = try writer.read("read an archived batch") { [archive, part] db in
                try archive.batch(next, of: part, in: db)
            }.map { Progress(batch: $0) }
            waiting = waiting.dropFirst()
        }
        guard let progress = current, !progress.isDone else { return outcome(Tally(), .zero) }
        let all = progress.batch.rows[progress.done...].prefix(rows)
        let (tally, held) = try worker.change("put rows back into \(part.table)") { db in
            try self.put(all, of: progress.batch, in: db)
        }
        current?.done += tally.count
        current?.left += tally.left
        return outcome(tally, held)
    }

    /// What became of some rows.
    private struct Tally {
        var restored = 0
        var left: [[ArchivedValue]] = []
        var skipped: [RestoreReport.Skip: Int64] = [:]
        var fingerprints: [UInt64] = []

        mutating func skip(_ rows: some Sequence<[ArchivedValue]>, _ reason: RestoreReport.Skip) {
            for row in rows {
                left.append(row)
                skipped[reason, default: 0] += 1
            }
        }

        var count: Int { restored + left.count }
    }

    private func outcome(_ tally: Tally, _ held: Duration) -> RestoredBatch {
        let result = BatchResult(
            deleted: Int64(tally.restored), dependentsDeleted: 0, visited: tally.count, held: held,
            isAlone: worker.isAlone, isLast: current == nil && waiting.isEmpty)
        return RestoredBatch(result: result, skipped: tally.skipped)
    }

    /// Puts `rows` back in one transaction, or the first of them.
    private func put(
        _ rows: ArraySlice<[ArchivedValue]>, of batch: SQLiteArchive.Batch, in db: Database
    ) throws -> (Tally, Duration) {
        var rows = rows
        while true {
            do {
                return try worker.write(to: db) { _ in
                    let tally = try insert(rows, of: batch, in: db)
                    // The commit would say the same, and by then the lease would be written.
                    try db.checkForeignKeys()
                    try lease(tally.fingerprints)
                    return tally
                }
            } catch let error as DatabaseError where error.isConstraint {
                // A deferred foreign key says no to the whole transaction: one of the rows is to blame.
                guard rows.count > 1 else {
                    var tally = Tally()
                    tally.skip(rows, .refused)
                    return (tally, .zero)
                }
                rows = rows.prefix(rows.count / 2)
            }
        }
    }

    private func insert(
        _ rows: ArraySlice<[ArchivedValue]>, of batch: SQLiteArchive.Batch, in db: Database
    ) throws -> Tally {
        var tally = Tally()
        let target: RestoreTarget
        do {
            target = try self.target(for: batch.columns, in: db)
        } catch let gone as RestoreTarget.Gone {
            tally.skip(rows, gone.reason)
            return tally
        }
        for row in rows {
            do {
                if let fingerprint = try target.insert(row, in: db) {
                    tally.restored += 1
                    tally.fingerprints.append(fingerprint)
                } else {
                    tally.skip([row], .exists)
                }
            } catch let error as DatabaseError where error.isConstraint && db.isInTransaction {
                tally.skip([row], .refused)
            }
        }
        return tally
    }

    private func target(for columns: [String], in db: Database) throws -> RestoreTarget {
        let version = try db.schemaVersion()
        if let target, target.schemaVersion == version, target.columns == columns { return target.target }
        let found = try RestoreTarget(part.table, columns: columns, place: worker.path, in: db)
        target = (version, columns, found)
        return found
    }

    private func lease(_ fingerprints: [UInt64]) throws {
        guard !fingerprints.isEmpty else { return }
        try writer.write("lease rows of \(part.table)") { [part, leaseEnd] db in
            try db.execute(
                """
                INSERT INTO lease (store, "table", until, fingerprints)
                VALUES (:store, :table, :until, :fingerprints)
                """,
                [
                    "store": .text(part.store.description), "table": .text(part.table),
                    "until": .int64(Int64(leaseEnd.timeIntervalSince1970.rounded(.up))),
                    "fingerprints": FingerprintEncoding.blob(fingerprints),
                ])
        }
    }

    /// Leaves in the archive what was not put back of the batch in hand.
    private func settle() throws(StoreError) {
        guard let current else { return }
        var bytes: [UInt8] = []
        for value in current.remaining.joined() { RowEncoding.append(value, to: &bytes) }
        try writer.write("take what was put back out of the archive") { [part] db in
            try db.execute(
                """
                UPDATE batch SET rows = :rows, row_count = :count
                WHERE id = :id AND \(SQLiteArchive.isOfPart)
                """,
                SQLiteArchive.values(
                    of: part,
                    and: [
                        "rows": .blob(bytes), "count": .int64(Int64(current.remaining.count)),
                        "id": .int64(current.batch.id),
                    ]))
        }
    }

    func maintainLog() throws(StoreError) {
        try worker.maintainLog()
        try writer.maintain()
    }

    func close() {
        // If that fails, the rows are met as being there by whoever restores the run again.
        if current != nil { try? settle() }
        writer.close()
        worker.close()
    }
}
