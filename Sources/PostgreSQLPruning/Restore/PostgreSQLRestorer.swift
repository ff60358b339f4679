import FoundationEssentials
import Pruning
import Retention

/// Puts archived rows back into a PostgreSQL database.
///
/// The lease of the rows is on the archive's disk before the rows are in the database. The rows leave the archive after
/// they are in the database. If the process is killed in between, the restore can be repeated. It then recognizes rows that
/// are back by their keys. Of a table without a key it puts no row back that has an equal one there.
final class PostgreSQLRestorer: RestoringContext {
    private let part: ArchivedPart
    private let leaseEnd: Date
    private let access: StoreAccess
    private let archive: any RowArchive
    private let archiveReturn: any ArchiveReturn
    private let connection: Connection
    private let control: RunControl
    private let claim: RunClaim?
    private let server: ServerIdentity?
    private let isPooled: Bool
    private var replicas: ReplicaWatch
    private var waiting: ArraySlice<(id: Int64, rows: Int64)>
    private var current: RestoreProgress?
    private var target: Result<RestoreTarget, RestoreTarget.Gone>?
    /// Whether it is unknown if the last transaction was committed.
    private var isInDoubt = false
    /// The number of targets so far, which names their statements.
    private var targets = 0
    /// How often this restore has inserted rows that no key tells apart.
    private var inserted: [[RowCoding.Value]: Int64] = [:]

    init(
        _ part: ArchivedPart, leaseEnd: Date, access: StoreAccess, archive: any RowArchive,
        claim: RunClaim?, _ control: RunControl
    ) throws(StoreError) {
        (self.part, self.leaseEnd, self.access) = (part, leaseEnd, access)
        (self.archive, self.claim, self.control) = (archive, claim, control)
        let connection = try Connection(access.address, control)
        self.connection = connection
        let (facts, server) = try connection.perform("look at the server") {
            try connection.transaction(.reading) {
                (try connection.serverFacts(), try ServerIdentity(connection.run(ServerIdentity.question)))
            }
        }
        try connection.check(facts)
        try connection.refuseStandby(facts)
        try claim?.check(isOn: server)
        self.server = server
        isPooled = facts.processID != connection.processID
        replicas = ReplicaWatch(most: access.maxLag, longestWait: access.longestLagWait)
        // Rows went after those that refer to them, so they come back before these.
        waiting = try archive.batches(of: part, control).reversed()[...]
        archiveReturn = try archive.openReturn(of: part, control)
    }

    func restoreBatch(rows: Int) throws(StoreError) -> RestoredBatch {
        try claim?.check()
        // A finished batch is settled in a call of its own. An error here then loses no count of restored rows.
        if let done = current, done.isDone {
            try settle()
            current = nil
        } else if current == nil, let next = waiting.first {
            waiting = waiting.dropFirst()
            guard try take(next.id) else {
                var outcome = RestoredRows()
                outcome.skipped[.damaged] = next.rows
                return result(outcome, .zero)
            }
        }
        guard let progress = current, !progress.isDone else { return result(RestoredRows(), .zero) }
        let begin = access.monotonic()
        let positions = progress.rows.indices[progress.done...].prefix(rows)
        let outcome = try put(positions, of: progress)
        current?.add(outcome)
        for row in outcome.inserted { inserted[row, default: 0] += 1 }
        return result(outcome, access.monotonic() - begin)
    }

    /// Reads an archived batch. Returns false if it is damaged.
    private func take(_ id: Int64) throws(StoreError) -> Bool {
        do throws(StoreError) {
            guard let batch = try archive.batch(id, of: part, control) else { return true }
            try batch.check(.postgresql, of: part, place: access.address.place)
            guard let progress = try? RestoreProgress(batch) else { return false }
            target = try connection.perform("look at \(part.table)") {
                try connection.transaction(.snapshot) {
                    do {
                        return .success(try access.restoreTarget(part, for: batch.rows, in: connection))
                    } catch let gone as RestoreTarget.Gone {
                        return .failure(gone)
                    }
                }
            }
            current = progress
            targets += 1
            return true
        } catch  where error.kind == .damaged {
            return false
        }
    }

    private func result(_ outcome: RestoredRows, _ lockTime: Duration) -> RestoredBatch {
        RestoredBatch(
            restored: Int64(outcome.restored), skipped: outcome.skipped,
            work: BatchWork(
                visited: outcome.count, changed: Int64(outcome.restored), lockTime: lockTime, isAlone: true,
                isLast: current == nil && waiting.isEmpty))
    }

    // MARK: - Putting rows back

    private var transaction: TransactionKind {
        var kind = TransactionKind.writing(
            lockTimeout: access.lockTime.usual, statementTimeout: access.lockTime.longest)
        // What would be checked at the end is checked row by row.
        kind.settings = "SET CONSTRAINTS ALL IMMEDIATE"
        return kind
    }

    /// Puts rows back in one transaction. If the database refuses one, again with a savepoint for each.
    private func put(
        _ positions: Range<Int>, of progress: RestoreProgress
    ) throws(StoreError) -> RestoredRows {
        let connection = connection
        return try connection.perform("put rows back into \(part.table)") {
            do {
                return try put(positions, of: progress, withSavepoints: false)
            } catch let error as ServerError where error.isOfRow {
                return try put(positions, of: progress, withSavepoints: true)
            }
        }
    }

    private func put(
        _ positions: Range<Int>, of progress: RestoreProgress, withSavepoints: Bool
    ) throws -> RestoredRows {
        var outcome = RestoredRows()
        let number: String?
        do {
            if case .success(let target) = target {
                try target.begin(transaction, isPrepared: !isPooled, in: connection)
            } else {
                try connection.run(transaction.begin)
            }
            try insert(positions, of: progress, withSavepoints: withSavepoints, into: &outcome)
            number = try connection.query("SELECT pg_current_xact_id_if_assigned()").text(0, 0)
            try archiveReturn.lease(outcome.fingerprints, of: progress.batch.id, until: leaseEnd)
        } catch {
            connection.rollBack()
            throw error
        }
        try commit(number, of: outcome.restored)
        return outcome
    }

    /// Commits. If the answer is lost, asks the server what became of the transaction, if it changed anything.
    private func commit(_ transaction: String?, of rows: Int) throws {
        isInDoubt = false
        guard case .failure(let lost) = connection.commit() else { return }
        guard lost.isConnectionLost, let transaction else { throw lost }
        switch access.fate(of: transaction, on: server, control) {
        case .committed: return
        case .rolledBack: throw lost
        case .unknown:
            isInDoubt = true
            throw StoreError(
                .other, operation: "commit a batch", place: access.address.place,
                cause:
                    "the connection was lost (\(lost.message)), and it is unknown whether the last batch was committed",
                hint: "its \(rows) rows are not in the count, but may be back; a repeated restore finds them")
        }
    }

    private func insert(
        _ positions: Range<Int>, of progress: RestoreProgress, withSavepoints: Bool,
        into outcome: inout RestoredRows
    ) throws {
        let target: RestoreTarget
        switch self.target {
        case .success(let found): target = found
        case .failure(let gone):
            for position in positions { outcome.skip(progress.rows[position], gone.reason) }
            return
        case nil: return
        }
        var waiting = Array(positions)
        while !waiting.isEmpty {
            var refused: [Int] = []
            for position in waiting {
                guard withSavepoints else {
                    try insert(position, of: progress, target, into: &outcome)
                    continue
                }
                try connection.run("SAVEPOINT pruned")
                do {
                    try insert(position, of: progress, target, into: &outcome)
                } catch let error as ServerError where error.isOfRow {
                    try connection.run("ROLLBACK TO SAVEPOINT pruned")
                    if error.refersToNothing {
                        refused.append(position)
                    } else {
                        outcome.skip(progress.rows[position], error.isConflict ? .exists : .refused)
                    }
                }
                try connection.run("RELEASE SAVEPOINT pruned")
            }
            // What they refer to may have come after them. In the other direction a chain of rows comes back at once.
            guard refused.count < waiting.count else {
                for position in refused { outcome.skip(progress.rows[position], .refused) }
                break
            }
            waiting = refused.reversed()
        }
        // Even if no row was put back: a trigger of a statement runs for none as well.
        try target.watch.check(in: connection)
    }

    private func insert(
        _ position: Int, of progress: RestoreProgress, _ target: RestoreTarget,
        into outcome: inout RestoredRows
    ) throws {
        let row = progress.rows[position]
        let mayBeThere = !progress.batch.isDeleted || progress.batch.isInReturn
        if target.isKeyless, mayBeThere, try isThere(row, target, outcome) {
            outcome.skip(row, .exists)
        } else if let fingerprint = try insert(row, target) {
            outcome.restored += 1
            outcome.back.append(position)
            outcome.fingerprints.append(fingerprint)
            if target.isKeyless { outcome.inserted.append(row) }
        } else {
            outcome.skip(row, try obstacle(to: row, target))
        }
    }

    /// The fingerprint of the row that was put back; nil if it was not.
    private func insert(_ row: [RowCoding.Value], _ target: RestoreTarget) throws -> UInt64? {
        let values = row[..<(target.marks?.width ?? target.columns.count)]
        let result = try connection.query(
            target.statement, bytes: Array(values),
            preparedAs: isPooled ? nil : "pruned restore \(targets)")
        guard result.count > 0, let key = result.bytes(0, 0) else { return nil }
        let fingerprint = Leases.fingerprint(of: key)
        if let tombstones = target.tombstones, row.last == Array("1".utf8) {
            _ = try connection.query(tombstones.statement, bytes: tombstones.values(of: values))
        }
        return fingerprint
    }

    /// Why a row was not put back.
    private func obstacle(to row: [RowCoding.Value], _ target: RestoreTarget) throws -> RestoreSkip {
        guard let marks = target.marks else { return .exists }
        let found = try connection.query(marks.question, bytes: marks.key.map { row[$0] })
        return found.count == 0 ? .gone : .unmarked
    }

    /// Whether the table has an equal row that this restore did not insert.
    private func isThere(
        _ row: [RowCoding.Value], _ target: RestoreTarget, _ outcome: RestoredRows
    ) throws -> Bool {
        let question = target.equals(of: row[..<target.columns.count])
        let count = try connection.query(question.sql, bytes: question.values).integer(0, 0) ?? 0
        let own = inserted[row, default: 0] + Int64(outcome.inserted.count { $0 == row })
        return count > own
    }

    // MARK: - The archive

    /// Removes the rows that were put back from the current batch in the archive.
    private func settle() throws(StoreError) {
        guard let current else { return }
        let remaining = current.remaining
        try archiveReturn.settle(
            current.batch, rows: remaining.bytes, count: remaining.count, back: current.back)
    }

    /// Nobody waits for a lock of the whole store, so a pause is never cut short.
    func othersCommits() throws(StoreError) -> Int { 0 }

    func maintain() throws(StoreError) {
        try replicas.wait(on: connection)
        try archiveReturn.maintain()
    }

    func close() {
        // If this fails, a repeated restore finds the rows in the database. The same applies if it is unknown whether rows
        // were committed.
        if current != nil, !isInDoubt { try? settle() }
        archiveReturn.close()
        connection.close()
    }
}

extension StoreAccess {
    /// The table of a part, inside of a transaction, behind the store's gate.
    func restoreTarget(
        _ part: ArchivedPart, for rows: ArchivedRows, in connection: Connection
    ) throws -> RestoreTarget {
        let use = SchemaUse(
            restoring: part.table, action: rows.action, tombstones: rows.tombstone?.table)
        _ = try passGate(for: [use], in: connection)
        return try RestoreTarget(part, for: rows, allowing: gate?.triggers ?? [], in: connection)
    }
}

extension ServerError {
    /// Whether the database refuses a row: by a constraint, or because it is no value of a column.
    fileprivate var isOfRow: Bool { category == "23" || category == "22" || category == "44" }

    /// Whether an existing row is in the way, where only a deferred constraint tells.
    fileprivate var isConflict: Bool { code == "23505" || code == "23P01" }

    /// Whether what the row refers to is not there.
    fileprivate var refersToNothing: Bool { code == "23503" }
}
