import Archive
import Pruning
import Retention

/// The worker context of a PostgreSQL database: one connection, short transactions.
final class PostgreSQLWorker: WorkerContext {
    private let access: StoreAccess
    private var connection: Connection
    private let control: RunControl
    private let claim: RunClaim?
    private let isPooled: Bool
    /// The server of the connection.
    private var server: ServerIdentity?
    private var deletion: Deletion?
    /// Nil for a store without an archive.
    private let archived: PendingRows?
    private var replicas: ReplicaWatch
    private var unit: PageUnit
    /// Whether the last batch took too long. Then the next one, the smallest, may take very long: some
    /// work is due at once, and would be begun anew each time. A GIN index enters its pending list so.
    private var isPatient = false
    private var vacuum: Vacuum?
    /// The number of the last batch's transaction. Others' have the numbers between two of ours.
    private var lastTransaction: Int64?

    /// `claim` is that of the run; nil in a test without one.
    init(_ access: StoreAccess, claim: RunClaim?, _ control: RunControl) throws(StoreError) {
        (self.access, self.claim, self.control) = (access, claim, control)
        let connection = try Connection(access.address, control)
        self.connection = connection
        let replicas = access.replicas
        (self.replicas, unit) = (replicas, access.unit)
        let (facts, server) = try connection.perform("look at the server") {
            try connection.transaction(.reading) {
                let facts = try connection.serverFacts()
                try connection.check(facts)
                try connection.refuseStandby(facts)
                try replicas.checkSight(of: facts, in: connection)
                return (facts, try ServerIdentity(connection.run(ServerIdentity.question)))
            }
        }
        isPooled = facts.processID != connection.processID
        archived = access.archive.map { PendingRows(in: $0, control: control) }
        self.server = server
        try claim?.check(isOn: server)
    }

    private var place: String { access.address.place }

    func begin(
        _ task: PruneTask, accessPath: AccessPath?, tellsRows: Bool
    ) throws(StoreError) -> (census: Census, accessPath: AccessPath, rows: RowsFingerprint?) {
        let connection = connection
        let deletion = try connection.perform(RuleWork.countExpired.of(task.rule.table)) {
            try connection.transaction(.snapshot) {
                let condition = try access.condition(of: task, isToLook: false, in: connection)
                let archiving = try archived.flatMap { pending in
                    try ArchivedColumns(of: condition.bound).map {
                        Archiving($0, of: condition.bound, pending: pending)
                    }
                }
                let deletion = try Deletion(
                    condition, accessPath: accessPath, tellsRows: tellsRows, archiving: archiving,
                    preparesStatements: !isPooled, in: connection)
                if deletion.census.expired > 0 {
                    try access.refuseHeldRows(of: condition, isNow: true, in: connection)
                }
                return deletion
            }
        }
        if deletion.census.expired > 0, task.rule.archiveKeep != nil { try archived?.open() }
        self.deletion = deletion
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
        if let leaf = deletion.nextPartition { return try drop(leaf, of: deletion) }
        while let slice = deletion.next(rows, unit) {
            do {
                return try commit(slice, rows: rows, of: deletion)
            } catch {
                switch error {
                case .overflow: deletion.takeNoMoreThanCounted()
                case .fault(let error):
                    isPatient = error.kind == .tooSlow
                    if isPatient { unit.shrink() }
                    guard error.kind == .busy, deletion.isPutOff(slice) else { throw error }
                }
            }
        }
        return BatchResult(
            deleted: 0, work: BatchWork(visited: 0, changed: 0, lockTime: .zero, isAlone: true, isLast: true))
    }

    /// Drops a partition, as a batch whose time says nothing about the size of the next one.
    private func drop(_ leaf: Relation, of deletion: Deletion) throws(StoreError) -> BatchResult {
        let connection = connection
        let rows = try connection.perform("drop partition \(leaf.description)") {
            try deletion.drop(leaf, access.lockTime, on: connection) { try commit($0, connection) }
        }
        return BatchResult(
            deleted: rows,
            work: BatchWork(
                visited: 1, changed: rows, lockTime: .zero, isAlone: true,
                isLast: deletion.nextPartition == nil && deletion.isOver))
    }

    func shortfall() throws(StoreError) -> StoreError? {
        guard let deletion else { return nil }
        try reconnectIfLost()
        let connection = connection
        return try connection.perform("look for rows of \(deletion.task.rule.table) that stayed") {
            let kind = TransactionKind.writing(lockTimeout: .milliseconds(50), statementTimeout: nil)
            // Rolled back: it locks a row to see whether that can be locked.
            try connection.run(kind.begin)
            defer { connection.rollBack() }
            return try deletion.shortfall(in: connection)
        }
    }

    private func operation(_ deletion: Deletion) -> String {
        RuleWork.deleteExpired.of(deletion.task.rule.table)
    }

    /// Why a batch was rolled back.
    private enum Refusal: Error {
        /// More rows have expired than were counted.
        case overflow
        case fault(StoreError)
    }

    /// Runs one batch.
    private func commit(
        _ slice: Deletion.Slice, rows: Int, of deletion: Deletion
    ) throws(Refusal) -> BatchResult {
        let connection = connection
        let begin = access.monotonic()
        var (worked, isAlone) = (Duration.zero, false)
        let operation = operation(deletion)
        var changed = ChangedRows(rows: 0)
        var end = SliceEnd()
        try translating(operation) {
            do {
                try deletion.begin(kind(of: slice), slice, in: connection)
                (changed, end) = try deletion.change(slice, in: connection)
            } catch {
                connection.rollBack()
                throw error
            }
            worked = access.monotonic() - begin
            // A trigger of a statement runs for no row as well, and nobody has looked at the schema then.
            if changed.rows > 0 { try commit(changed, connection) } else { connection.rollBack() }
            archived?.pass()
        }
        if let number = changed.transaction.flatMap({ Int64($0) }) {
            isAlone = lastTransaction.map { number - $0 <= 1 } ?? false
            lastTransaction = number
        } else {
            isAlone = true
        }
        isPatient = false
        deletion.pass(slice, end, changed.rows)
        let lockTime = access.monotonic() - begin
        unit.learn(lockTime, isSmallest: rows == 1, limit: access.lockTime.usual * PageUnit.patience)
        return BatchResult(
            deleted: changed.rows, fingerprint: changed.fingerprint,
            work: BatchWork(
                visited: rows, changed: changed.rows, dependents: changed.dependents, lockTime: lockTime,
                commit: lockTime - worked, isAlone: isAlone, isLast: deletion.isOver))
    }

    /// Commits. If the answer is lost, asks the server what became of the transaction.
    private func commit(_ changed: ChangedRows, _ connection: Connection) throws {
        switch connection.commit() {
        case .success: return
        case .failure(let lost):
            guard lost.isConnectionLost, let transaction = changed.transaction else {
                if lost.isConnectionLost { archived?.doubt() }
                throw lost
            }
            switch access.fate(of: transaction, on: server, control) {
            case .committed: return
            case .rolledBack: throw lost
            case .unknown:
                archived?.doubt()
                throw StoreError.unknownCommit(of: changed.rows, lost: lost.message, at: place)
            }
        }
    }

    /// After a commit whose answer was lost and found, the run goes on.
    private func reconnectIfLost() throws(StoreError) {
        guard !connection.isOpen else { return }
        let new = try Connection(access.address, control)
        let server = try new.perform("look at the server") {
            try new.transaction(.reading) { try ServerIdentity(new.run(ServerIdentity.question)) }
        }
        try claim?.check(isOn: server)
        (connection, self.server) = (new, server)
    }

    private func translating(_ operation: String, _ body: () throws -> Void) throws(Refusal) {
        do {
            try body()
        } catch is Deletion.Overflow {
            throw .overflow
        } catch {
            throw .fault(connection.failure(of: operation, error))
        }
    }

    /// A range of pages has the same plan wherever it lies. A range of an index has not: without its values the server would
    /// not know how short it is.
    private func kind(of slice: Deletion.Slice) -> TransactionKind {
        var kind = TransactionKind.writing(
            lockTimeout: access.lockTime.usual,
            statementTimeout: isPatient
                ? max(access.lockTime.longest, Self.longestStatement) : access.lockTime.longest)
        let plan = if case .pages = slice { "force_generic_plan" } else { "force_custom_plan" }
        kind.settings = "SET LOCAL plan_cache_mode = \(plan)"
        return kind
    }

    /// How long the smallest batch may take after one that took too long.
    private static let longestStatement = Duration.seconds(5)

    func failureOfSlowRows(_ count: Int) throws(StoreError) -> StoreError {
        StoreError(
            .tooSlow, operation: deletion.map(operation) ?? "delete rows", place: place,
            cause:
                "\(count) batches in a row, each of one page, took longer than `lock_time` for each of their rows",
            hint: "look at the table's indexes, triggers and foreign keys, or raise lock_time in [batch]")
    }

    /// Vacuums one table, whatever `units` is: a VACUUM blocks nobody, and goes as slowly as it should.
    func reclaim(units: Int, within limit: Duration) throws(StoreError) -> ReclaimStep {
        let connection = connection
        return try connection.perform("vacuum") {
            let tables = try connection.transaction(.reading) { try access.tables(in: connection) }
            var vacuum = self.vacuum ?? Vacuum(tables, isPooled: isPooled)
            defer { self.vacuum = vacuum }
            let before = try deadBytes(in: connection)
            try vacuum.step(on: connection)
            let freed = max(0, before - (try deadBytes(in: connection)))
            return ReclaimStep(
                bytes: freed,
                work: BatchWork(
                    visited: units, changed: 0, lockTime: .zero, isAlone: true, isLast: vacuum.isOver))
        }
    }

    private func deadBytes(in connection: Connection) throws -> Int64 {
        try connection.transaction(.reading) {
            try connection.query(
                """
                SELECT coalesce(sum(pg_table_size(s.relid) * (s.n_dead_tup::float8 / \
                greatest(s.n_dead_tup + s.n_live_tup, 1))), 0)::bigint FROM pg_stat_user_tables s
                """
            ).integer(0, 0) ?? 0
        }
    }

    func finishReclaim() throws(StoreError) {}

    /// Nobody waits for a lock of the whole store, so a pause is never cut short.
    func othersCommits() throws(StoreError) -> Int { 0 }

    func burden() throws(StoreError) -> StoreError? {
        try reconnectIfLost()
        return try replicas.burden(on: connection)
    }

    func maintain() throws(StoreError) { try archived?.maintain() }

    func close() {
        // Each commit was on the server's disk when it returned.
        archived?.close { true }
        connection.close()
    }
}
