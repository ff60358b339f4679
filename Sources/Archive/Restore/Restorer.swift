import FoundationEssentials
import Pruning

/// Puts archived rows back into a store of any kind.
///
/// The lease of the rows is on the archive's disk before the rows are in the store. The rows leave the archive after they
/// are in the store. If the process is killed in between, the restore can be repeated. It then recognizes rows that are
/// back by their keys, and rows without a key as the session's ``RestoreTarget`` can.
package final class Restorer<Session: RestoreSession>: RestoringContext {
    private let part: ArchivedPart
    private let leaseEnd: Date
    private let archiveReturn: any ArchiveReturn
    private let session: Session
    private var waiting: ArraySlice<(id: Int64, rows: Int64)>
    private var current: RestoreProgress?

    /// Puts `part` back, whose rows then have a lease until `leaseEnd`. Closes `session`, also when it throws.
    package init(
        _ part: ArchivedPart, leaseEnd: Date, from archive: any RowArchive, into session: Session,
        _ control: RunControl
    ) throws(StoreError) {
        (self.part, self.leaseEnd, self.session) = (part, leaseEnd, session)
        do throws(StoreError) {
            // Rows went after those that refer to them, so they come back before these.
            waiting = try archive.batches(of: part, control).reversed()[...]
            archiveReturn = try archive.openReturn(of: part, control)
        } catch {
            session.close()
            throw error
        }
    }

    package func restoreBatch(rows: Int) throws(StoreError) -> RestoredBatch {
        // A finished batch is settled in a call of its own. An error here then loses no count of restored rows.
        if let done = current, done.isDone {
            try settle(done)
            current = nil
        } else if current == nil, let next = waiting.first {
            let found = try FoundBatch(of: part, for: session.format, at: session.place) {
                () throws(StoreError) in try archiveReturn.batch(next.id)
            }
            // Not before it is read: after an error the next call tries the same batch again.
            waiting = waiting.dropFirst()
            switch found {
            case .expired: break
            case .damaged: return pass([.damaged: next.rows])
            case .whole(let batch): current = RestoreProgress(batch)
            }
        }
        guard let progress = current, !progress.isDone else { return pass([:]) }
        let batch = progress.batch
        let (outcome, work) = try session.write(progress.next(rows), of: batch) { positions, target in
            try Self.put(positions, of: batch, into: target)
        } lease: { outcome in
            guard !outcome.fingerprints.isEmpty else { return }
            try archiveReturn.lease(
                outcome.fingerprints, of: batch.archived.id, until: leaseEnd, places: outcome.places)
        }
        current?.add(outcome)
        return RestoredBatch(restored: Int64(outcome.restored.count), skipped: outcome.skipped, work: work)
    }

    /// A call that put nothing back.
    private func pass(_ skipped: [RestoreSkip: Int64]) -> RestoredBatch {
        RestoredBatch(
            restored: 0, skipped: skipped,
            work: BatchWork(
                visited: 0, changed: 0, lockTime: .zero, isAlone: false,
                isLast: current == nil && waiting.isEmpty))
    }

    /// Puts the rows at these positions back, one after another.
    private static func put(
        _ positions: Range<Int>, of batch: RestoreBatch, into find: () throws -> Session.Target
    ) throws -> RestoredRows {
        var rows = RestoredRows()
        let target: Session.Target
        do {
            target = try find()
        } catch let none as NoTarget {
            rows.skip(none.reason, rows: positions.count)
            return rows
        }
        var waiting = Array(positions)
        while !waiting.isEmpty {
            var refused: [Int] = []
            for position in waiting {
                let outcome = try target.attempt {
                    try put(position, of: batch, into: target, besides: rows.restored)
                }
                if let outcome { rows.note(outcome, of: position) } else { refused.append(position) }
            }
            // What they refer to may have come after them. In the other direction a chain of rows comes back at once.
            guard refused.count < waiting.count else {
                rows.skip(.refused, rows: refused.count)
                break
            }
            waiting = refused.reversed()
        }
        return rows
    }

    private static func put(
        _ position: Int, of batch: RestoreBatch, into target: Session.Target, besides back: [Int]
    ) throws -> RestoreOutcome {
        switch try target.whereabouts(of: position, in: batch, besides: back) {
        case .returned: return .wasBack
        case .neverLeft: return .stays(.exists)
        case .unknown:
            let row = batch.rows[position]
            if let row = try target.put(row) { return .back(row) }
            guard batch.archived.rows.action.isMark else { return .stays(.exists) }
            return .stays(try target.obstacle(to: row) ?? .unmarked)
        }
    }

    /// Removes the rows that were put back from their batch in the archive.
    private func settle(_ progress: RestoreProgress) throws(StoreError) {
        guard !progress.isNew else { return }
        try archiveReturn.settle(
            progress.batch.archived, progress.remaining, back: progress.back, until: leaseEnd)
    }

    package func othersCommits() throws(StoreError) -> Int { try session.othersCommits() }

    package func burden() throws(StoreError) -> StoreError? { try session.burden() }

    package func maintain() throws(StoreError) {
        try session.maintain()
        try archiveReturn.maintain()
    }

    package func close() {
        // If this fails, a repeated restore finds the rows in the store. The same applies if it is unknown whether rows
        // were committed.
        if let current, !session.isInDoubt { try? settle(current) }
        archiveReturn.close()
        session.close()
    }
}
