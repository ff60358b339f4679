import Archive
import FoundationEssentials
import Pruning
import Retention
import SQLite

/// A SQLite file, open to have archived rows put back.
final class SQLiteRestoreSession: RestoreSession {
    private let part: ArchivedPart
    private let worker: SQLiteWorker
    private(set) var isInDoubt = false
    /// The table on this connection, with the version of the schema and the batch's head for which it holds.
    private var known: (version: Int64, head: ArchivedRows, target: RestoreTable)?

    let format = StoreFormat.sqlite
    var place: String { worker.path }

    /// Closes `worker` if it throws.
    init(_ part: ArchivedPart, _ worker: SQLiteWorker) throws(StoreError) {
        (self.part, self.worker) = (part, worker)
        do throws(StoreError) {
            // Rows leave the archive once they are back, so by then they must survive a power cut. A run's deletions
            // need not. In WAL mode EXTRA is the same as FULL.
            try worker.connection.perform("restore run \(part.runID)") {
                try $0.execute("PRAGMA synchronous = EXTRA")
            }
        } catch {
            worker.close()
            throw error
        }
    }

    private var operation: String { "put rows back into \(part.table)" }

    func write(
        _ rows: Range<Int>, of batch: RestoreBatch,
        _ put: (Range<Int>, _ target: () throws -> RestoreTable) throws -> RestoredRows,
        lease: (RestoredRows) throws -> Void
    ) throws(StoreError) -> (rows: RestoredRows, work: BatchWork) {
        do throws(StoreError) {
            let (outcome, written) = try worker.change(operation) { db in
                try write(rows, of: batch, put, lease, in: db)
            }
            isInDoubt = false
            return (
                outcome,
                worker.work(
                    written, visited: outcome.count, changed: Int64(outcome.restored.count), isLast: false)
            )
        } catch {
            isInDoubt = isInDoubt || ![.busy, .tooSlow, .interrupted].contains(error.kind)
            throw error
        }
    }

    private func write(
        _ rows: Range<Int>, of batch: RestoreBatch,
        _ put: (Range<Int>, _ target: () throws -> RestoreTable) throws -> RestoredRows,
        _ lease: (RestoredRows) throws -> Void, in db: Database
    ) throws -> (RestoredRows, SQLiteWorker.Written) {
        var rows = rows
        while true {
            do {
                // Inserting a row may run the app's code, as deleting does: an index on an expression is computed.
                let work = StoreWork(operation, place: worker.path)
                return try worker.write(to: db, for: work) { _ in
                    let outcome = try put(rows) { try target(for: batch.archived.rows, in: db) }
                    // The COMMIT would report the same, but only after the lease was written.
                    try db.checkForeignKeys()
                    try lease(outcome)
                    return outcome
                }
            } catch let error as DatabaseError where error.isConstraint {
                // A deferred foreign key fails the whole transaction because of one of its rows, so try fewer rows.
                guard rows.count > 1 else {
                    var outcome = RestoredRows()
                    outcome.skip(.refused, rows: rows.count)
                    return (outcome, (.zero, .zero, .zero))
                }
                rows = rows.prefix(rows.count / 2)
            }
        }
    }

    private func target(for rows: ArchivedRows, in db: Database) throws -> RestoreTable {
        let (version, head) = (try db.schemaVersion(), rows.with([]))
        if let known, known.version == version, known.head == head { return known.target }
        let found = try RestoreTable(part.table, for: rows, place: worker.path, in: db)
        known = (version, head, found)
        return found
    }

    func othersCommits() throws(StoreError) -> Int { try worker.othersCommits() }

    func maintain() throws(StoreError) { try worker.maintain() }

    func close() { worker.close() }
}

/// A SQLite file, open to see what a restore would do.
private struct SQLiteRestoreLook: RestoreLook {
    let part: ArchivedPart
    let view: SQLiteView

    let format = StoreFormat.sqlite
    var place: String { view.path }

    func look<Result>(
        at batch: RestoreBatch, _ body: (_ target: () throws -> RestoreTable) throws -> Result
    ) throws(StoreError) -> Result {
        try view.read("look for rows of \(part.table)") { db in
            try body { try RestoreTable(part.table, for: batch.archived.rows, place: place, in: db) }
        }
    }
}

extension SQLiteStore {
    /// See ``PrunableStore``.
    package func openRestorer(
        _ part: ArchivedPart, leaseEnd: Date, _ control: RunControl
    ) throws(StoreError) -> any RestoringContext {
        let archive = try archive.orRefusal(of: part, place: path)
        let worker = try SQLiteWorker(
            path: path, control: control, terms: terms, lockTime: lockTime, monotonic: monotonic
        )
        return try Restorer(
            part, leaseEnd: leaseEnd, from: archive, into: SQLiteRestoreSession(part, worker), control)
    }

    /// See ``PrunableStore``.
    package func previewRestore(
        of part: ArchivedPart, _ control: RunControl
    ) throws(StoreError) -> RestoredBatch {
        let archive = try archive.orRefusal(of: part, place: path)
        let view = try SQLiteView(path: path, control: control, terms: terms)
        defer { view.close() }
        return try RestorePreview(
            of: part, from: archive, into: SQLiteRestoreLook(part: part, view: view)
        ).take(control)
    }
}
