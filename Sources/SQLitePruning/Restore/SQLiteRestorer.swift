import FoundationEssentials
import Glibc
import Pruning
import Retention
import SQLite

/// Puts archived rows back into a SQLite file.
///
/// The lease of the rows is on the archive's disk before the rows are in the store. The rows leave the archive after
/// they are in the store. If the process is killed in between, the restore can be repeated. It then recognizes rows
/// that are back by their keys, and rows without a key by the places that are stored with the lease.
final class SQLiteRestorer: RestoringContext {
    private let part: ArchivedPart
    private let leaseEnd: Date
    private let archive: SQLiteArchive
    private let writer: SQLiteArchiveWriter
    private let worker: SQLiteWorker
    private var waiting: ArraySlice<(id: Int64, rows: Int64)>
    private var current: Progress?
    /// Whether it is unknown if the last transaction was committed.
    private var isInDoubt = false
    private var target: (schemaVersion: Int64, head: ArchiveHead, hasPlace: Bool, target: RestoreTarget)?

    /// How much of an archived batch was processed.
    private struct Progress {
        let batch: SQLiteArchive.Batch
        var done = 0
        /// The rows that were not put back.
        var left: [[ArchivedValue]] = []
        /// The positions of the rows that were put back.
        var back: Set<Int> = []

        var isDone: Bool { done == batch.rows.count }

        /// The rows that stay in the archive.
        var remaining: [[ArchivedValue]] { left + batch.rows[done...] }

        /// Where earlier restores may have put these rows.
        var remainingPlaces: Places { batch.places.moved(from: done, to: left.count) }
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
            // Rows leave the archive once they are back, so by then they must survive a power cut. A run's deletions
            // need not. In WAL mode EXTRA is the same as FULL.
            try worker.connection.perform("restore run \(part.runID)") {
                try $0.execute("PRAGMA synchronous = EXTRA")
            }
            waiting = try writer.read("look for run \(part.runID)") {
                try SQLiteArchive.batches(of: part, in: $0)
            }[...]
        } catch {
            writer.close()
            throw error
        }
    }

    func restoreBatch(rows: Int) throws(StoreError) -> RestoredBatch {
        // A finished batch is settled in a call of its own. An error here then loses no count of restored rows.
        if let done = current, done.isDone {
            try settle()
            current = nil
        } else if current == nil, let next = waiting.first {
            do throws(StoreError) {
                current = try writer.read("read an archived batch") { [archive, part] db in
                    try archive.batch(next.id, of: part, in: db)
                }.map { Progress(batch: $0) }
            } catch  where error.isOfArchive(archive) {
                waiting = waiting.dropFirst()
                var tally = Tally()
                tally.skipped[.damaged] = next.rows
                return outcome(tally, (.zero, .zero, .zero))
            }
            waiting = waiting.dropFirst()
            if let found = current?.batch.head.encoding, found != .sqlite {
                current = nil
                throw found.mismatch(of: part, place: worker.path)
            }
        }
        guard let progress = current, !progress.isDone else { return outcome(Tally(), (.zero, .zero, .zero)) }
        let all = progress.batch.rows.indices[progress.done...].prefix(rows)
        let (tally, written) = try put(all, of: progress.batch)
        current?.done += tally.count
        current?.left += tally.left
        current?.back.formUnion(tally.back)
        return outcome(tally, written)
    }

    /// The outcome for some rows.
    private struct Tally {
        var restored = 0
        var left: [[ArchivedValue]] = []
        var skipped: [RestoreSkip: Int64] = [:]
        var fingerprints: [UInt64] = []
        var places = Places()
        /// The rows that an earlier restore had put back.
        var returned = 0
        /// The positions of all rows that are back.
        var back: [Int] = []

        mutating func skip(_ rows: some Sequence<[ArchivedValue]>, _ reason: RestoreSkip) {
            for row in rows {
                left.append(row)
                skipped[reason, default: 0] += 1
            }
        }

        mutating func passReturned(at position: Int) {
            returned += 1
            back.append(position)
            skipped[.exists, default: 0] += 1
        }

        var count: Int { restored + left.count + returned }
    }

    private func outcome(_ tally: Tally, _ written: SQLiteWorker.Written) -> RestoredBatch {
        RestoredBatch(
            restored: Int64(tally.restored), skipped: tally.skipped,
            work: worker.work(
                written, visited: tally.count, changed: Int64(tally.restored),
                isLast: current == nil && waiting.isEmpty))
    }

    private var operation: String { "put rows back into \(part.table)" }

    /// Puts rows back; see ``put(_:of:in:)``.
    private func put(
        _ rows: Range<Int>, of batch: SQLiteArchive.Batch
    ) throws(StoreError) -> (Tally, SQLiteWorker.Written) {
        do throws(StoreError) {
            let result = try worker.change(operation) { db in
                try put(rows, of: batch, in: db)
            }
            isInDoubt = false
            return result
        } catch {
            isInDoubt = isInDoubt || ![.busy, .tooSlow, .interrupted].contains(error.kind)
            throw error
        }
    }

    /// Puts the rows at the positions `rows` of `batch` back in one transaction. May put back only the first of them.
    private func put(
        _ rows: Range<Int>, of batch: SQLiteArchive.Batch, in db: Database
    ) throws -> (Tally, SQLiteWorker.Written) {
        var rows = rows
        while true {
            do {
                // Inserting a row may run the app's code, as deleting does: an index on an expression is computed.
                let work = StoreWork(operation, place: worker.path)
                return try worker.write(to: db, for: work) { _ in
                    let tally = try insert(rows, of: batch, in: db)
                    // The COMMIT would report the same, but only after the lease was written.
                    try db.checkForeignKeys()
                    try archiveReturn.lease(
                        tally.fingerprints, of: batch.id, until: leaseEnd, places: tally.places)
                    return tally
                }
            } catch let error as DatabaseError where error.isConstraint {
                // A deferred foreign key fails the whole transaction because of one of its rows, so try fewer rows.
                guard rows.count > 1 else {
                    var tally = Tally()
                    tally.skip(batch.rows[rows], .refused)
                    return (tally, (.zero, .zero, .zero))
                }
                rows = rows.prefix(rows.count / 2)
            }
        }
    }

    private func insert(
        _ rows: Range<Int>, of batch: SQLiteArchive.Batch, in db: Database
    ) throws -> Tally {
        var tally = Tally()
        let target: RestoreTarget
        do {
            target = try self.target(for: batch, in: db)
        } catch let gone as RestoreTarget.Gone {
            tally.skip(batch.rows[rows], gone.reason)
            return tally
        }
        for position in rows {
            let row = batch.rows[position]
            do {
                switch try target.whereabouts(of: position, in: batch, db) {
                case .returned: tally.passReturned(at: position)
                case .neverLeft: tally.skip([row], .exists)
                case .unknown:
                    guard let inserted = try target.insert(row, in: db) else {
                        tally.skip([row], try target.obstacle(to: row, in: db) ?? .exists)
                        continue
                    }
                    tally.restored += 1
                    tally.back.append(position)
                    tally.fingerprints.append(inserted.fingerprint)
                    if let rowID = inserted.rowID { tally.places.add(rowID, at: position) }
                }
            } catch let error as DatabaseError where error.isConstraint && db.isInTransaction {
                tally.skip([row], .refused)
            }
        }
        return tally
    }

    private func target(for batch: SQLiteArchive.Batch, in db: Database) throws -> RestoreTarget {
        let version = try db.schemaVersion()
        if let target, target.schemaVersion == version, target.head == batch.head,
            target.hasPlace == batch.hasPlace
        {
            return target.target
        }
        let found = try RestoreTarget(part.table, for: batch, place: worker.path, in: db)
        target = (version, batch.head, batch.hasPlace, found)
        return found
    }

    private var archiveReturn: SQLiteArchiveReturn { SQLiteArchiveReturn(part, in: writer) }

    /// Removes the rows that were put back from the current batch in the archive.
    private func settle() throws(StoreError) {
        guard let current else { return }
        var bytes: [UInt8] = []
        for value in current.remaining.joined() { RowEncoding.append(value, to: &bytes) }
        try archiveReturn.settle(
            current.batch.id, of: current.batch.rows.count, rows: bytes,
            count: Int64(current.remaining.count), back: current.back, places: current.remainingPlaces,
            until: leaseEnd)
    }

    func othersCommits() throws(StoreError) -> Int { try worker.othersCommits() }

    func maintain() throws(StoreError) {
        try worker.maintain()
        try writer.maintain()
    }

    func close() {
        // If this fails, a repeated restore finds the rows in the store. The same applies if it is unknown whether rows
        // were committed.
        if current != nil, !isInDoubt { try? settle() }
        writer.close()
        worker.close()
    }
}
