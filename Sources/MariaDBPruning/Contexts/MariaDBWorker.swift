import Archive
import Pruning
import Retention
import RuleEngine

/// The worker context of a MariaDB database: one connection, short transactions.
final class MariaDBWorker: WorkerContext {
    private let access: StoreAccess
    private var connection: Connection
    private let control: RunControl
    private let claim: RunClaim?
    private var deletion: Deletion?
    private var tellsRows = false
    /// Nil for a store without an archive.
    private let archived: PendingRows?
    /// Whether the last batch took too long. Then the next one, the smallest, may take very long.
    private var isPatient = false

    /// How many statements the server had got after the last batch, and how many of these were the run's.
    private var seen: (all: Int64, own: Int64)?
    private var looked: (at: Duration, isAlone: Bool)?

    /// `claim` is that of the run; nil in a test without one.
    init(_ access: StoreAccess, claim: RunClaim?, _ control: RunControl) throws(StoreError) {
        (self.access, self.claim, self.control) = (access, claim, control)
        let connection = try Connection(access.address, control)
        self.connection = connection
        archived = access.archive.map { PendingRows(in: $0, control: control) }
        let facts = try connection.perform("look at the server") { try ServerFacts(of: connection) }
        try facts.check(place: access.address.place)
        try facts.refuseReplica(place: access.address.place)
    }

    private var place: String { access.address.place }

    func begin(
        _ task: PruneTask, accessPath: AccessPath?, tellsRows: Bool
    ) throws(StoreError) -> (census: Census, accessPath: AccessPath, rows: RowsFingerprint?) {
        let connection = connection
        let deletion = try connection.perform(RuleWork.countExpired.of(task.rule.table)) {
            try connection.snapshot {
                let watch = try SchemaWatch(access.known(task, in: connection), in: connection)
                let condition = try access.condition(of: task, isToLook: false, in: connection)
                guard watch.isOn(condition.bound) else { throw watch.mismatch }
                let deletion = try Deletion(
                    condition, accessPath: accessPath, tellsRows: tellsRows, watch, in: connection)
                if deletion.census.expired > 0 { try access.refuseHeldRows(of: condition, in: connection) }
                return deletion
            }
        }
        if deletion.census.expired > 0, task.rule.archiveKeep != nil { try archived?.open() }
        (self.deletion, self.tellsRows) = (deletion, tellsRows)
        return (deletion.census, deletion.accessPath, deletion.expiredRows)
    }

    private func begun() throws(StoreError) -> Deletion {
        guard let deletion else {
            throw StoreError(.other, operation: "delete a batch", place: place, cause: "no task was begun")
        }
        return deletion
    }

    func deleteBatch(rows: Int) throws(StoreError) -> BatchResult {
        let deletion = try begun()
        try claim?.check()
        try reconnectIfLost()
        while !deletion.isOver {
            var range: RangeWalk.Range?
            do {
                return try batch(rows, of: deletion, &range)
            } catch {
                let found = failure(error, deletion)
                isPatient = found.kind == .tooSlow
                guard found.kind == .busy, let range, deletion.isPutOff(range) else { throw found }
            }
        }
        return BatchResult(
            deleted: 0, work: BatchWork(visited: 0, changed: 0, lockTime: .zero, isAlone: true, isLast: true))
    }

    private func failure(_ error: any Error, _ deletion: Deletion) -> StoreError {
        let operation = RuleWork.deleteExpired.of(deletion.task.rule.table)
        guard error is Deletion.Changing else { return connection.failure(of: operation, error) }
        return StoreError(
            .busy, operation: operation, place: place,
            cause: "rows of the batch stay since it looked at them",
            hint: "the app is writing what keeps them")
    }

    private func batch(
        _ rows: Int, of deletion: Deletion, _ tried: inout RangeWalk.Range?
    ) throws -> BatchResult {
        let longest = isPatient ? max(access.lockTime.longest, .seconds(5)) : access.lockTime.longest
        // One that appears meanwhile ends the run.
        try connection.begin(.writing(longest: longest), firesTriggers: !deletion.bound.triggers.isEmpty)
        var changed = Deletion.Changed()
        let (range, begin): (RangeWalk.Range, Duration)
        do {
            range = try deletion.next(rows, in: connection)
            tried = range
            begin = access.monotonic()
            changed = try deletion.change(range, tellsRows: tellsRows, into: archived, in: connection)
        } catch {
            // What a statement has locked stays locked when it fails.
            connection.rollBack()
            throw error
        }
        let worked = access.monotonic() - begin
        if changed.rows > 0 { try commit(changed, deletion) } else { connection.rollBack() }
        archived?.pass()
        isPatient = false
        deletion.pass(range, changed.rows)
        let lockTime = access.monotonic() - begin
        let isAlone = try isAlone()
        return BatchResult(
            deleted: changed.rows, fingerprint: changed.fingerprint,
            work: BatchWork(
                visited: rows, changed: changed.rows, dependents: changed.dependents, lockTime: lockTime,
                commit: lockTime - worked, isAlone: isAlone, isLast: deletion.isOver))
    }

    /// Whether nobody else has sent the server a statement since it was last asked, ten times a second.
    private func isAlone() throws -> Bool {
        let now = access.monotonic()
        if let looked, now - looked.at < .milliseconds(100) { return looked.isAlone }
        let own = connection.sent + (claim?.sent ?? 0) + 1
        let all = try connection.query("SHOW GLOBAL STATUS LIKE 'Questions'").integer(0, 1) ?? 0
        let isAlone = seen.map { all - $0.all <= own - $0.own } ?? false
        (seen, looked) = ((all, own), (now, isAlone))
        return isAlone
    }

    /// Commits. If the answer is lost, its rows tell what became of the transaction.
    private func commit(_ changed: Deletion.Changed, _ deletion: Deletion) throws {
        do throws(ServerError) {
            try connection.query("COMMIT", isUnstoppable: true)
        } catch {
            guard error.isConnectionLost else { throw error }
            let isCommitted = access.isCommitted(changed.witnesses, of: deletion.bound, control)
            if isCommitted == true { return }
            // The app may have made rows with the same keys meanwhile: what is archived stays so.
            archived?.doubt()
            switch isCommitted {
            case true?: return
            case false?: throw error
            case nil:
                throw StoreError.unknownCommit(of: changed.rows, lost: error.message, at: place)
            }
        }
    }

    /// After a commit whose answer was lost and found, the run goes on.
    private func reconnectIfLost() throws(StoreError) {
        guard !connection.isOpen else { return }
        connection = try Connection(access.address, control)
    }

    func shortfall() throws(StoreError) -> StoreError? {
        guard let deletion else { return nil }
        try reconnectIfLost()
        let connection = connection
        return try connection.perform("look for rows of \(deletion.task.rule.table) that stayed") {
            try connection.begin(.writing(longest: .zero))
            // It locks a row to see whether that can be locked.
            defer { connection.rollBack() }
            return try deletion.shortfall(in: connection)
        }
    }

    func failureOfSlowRows(_ count: Int) throws(StoreError) -> StoreError {
        StoreError(
            .tooSlow, operation: RuleWork.deleteExpired.of(deletion?.task.rule.table ?? ""), place: place,
            cause: "\(count) rows, each alone in its batch, took longer than `lock_time`",
            hint: "look at the table's indexes, triggers and foreign keys, or raise lock_time in [batch]")
    }

    func reclaim(units: Int, within limit: Duration) throws(StoreError) -> ReclaimStep {
        ReclaimStep(
            bytes: 0, work: BatchWork(visited: 0, changed: 0, lockTime: .zero, isAlone: true, isLast: true))
    }

    func finishReclaim() throws(StoreError) {}

    /// Nobody waits for a lock of the whole store, so a pause is never cut short.
    func othersCommits() throws(StoreError) -> Int { 0 }
    func maintain() throws(StoreError) { try archived?.maintain() }

    func close() {
        // Each commit was on the server's disk when it returned, as far as the server is set up so.
        archived?.close { true }
        connection.close()
    }
}
