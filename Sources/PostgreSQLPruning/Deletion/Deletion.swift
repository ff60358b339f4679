import FoundationEssentials
import Pruning
import Retention
import RuleEngine

/// The deletion, or marking, of one task's rows, batch by batch.
final class Deletion {
    let task: PruneTask
    let census: Census
    let accessPath: AccessPath
    /// The rows that ``census`` counted; nil if nobody needs to know which they are.
    let expiredRows: RowsFingerprint?
    private let bound: BoundRule
    private let statements: BatchStatements
    /// Nil if the rows are not archived.
    private let archiving: Archiving?
    private var watch: SchemaWatch
    /// Those of the tables that a batch reaches besides its leaf.
    private let locks: TableLocks
    private var walk: HeapWalk
    /// The partitions to drop before the walk, the next one last.
    private var partitions: [Relation]
    private var dropped: Set<UInt32> = []
    private var indexWalk: IndexWalk
    /// Nil if the table has pages.
    private var timeWalk: TimeWalk?
    private var remaining: Int64
    /// The number of rows that went since the walk began; see ``HeapWalk/restart()``.
    private var goneInWalk: Int64 = 0
    /// Whether rows are locked first: they may be locked by others, or more may have expired than were counted.
    private var locksFirst: Bool
    /// How many batches in a row could not lock what they need.
    private var refusals = 0
    private let preparesStatements: Bool
    /// See ``Shortfall/countedSince``.
    private let countedSince: CountedSnapshot
    /// Whether rows were passed for good that others had locked.
    private var hasPassedLocks = false

    /// Prepares a deletion from the state that the connection's transaction sees.
    init(
        _ condition: ExpiryCondition, accessPath forced: AccessPath?, tellsRows: Bool,
        archiving: Archiving? = nil,
        preparesStatements: Bool, in connection: Connection
    ) throws {
        (task, bound, self.preparesStatements) = (condition.task, condition.bound, preparesStatements)
        let statements = BatchStatements(
            condition: condition, tellsRows: tellsRows, archived: archiving?.columns)
        self.archiving = archiving
        self.statements = statements
        partitions = try Self.partitions(of: condition, in: connection)
        let counting = TableCensus(condition: condition)
        countedSince = try CountedSnapshot(in: connection)
        census = try counting.take(in: connection)
        expiredRows = tellsRows ? try counting.fingerprint(in: connection) : nil
        remaining = census.expired
        locksFirst = !statements.isPlain
        watch = SchemaWatch(condition.bound)
        try watch.note(besides: partitions.map(\.oid), in: connection)
        locks = try TableLocks(condition.bound.reachedTables(in: connection), in: connection)
        let pages = try connection.pages(of: condition.bound.leaves)
        walk = HeapWalk(pages: pages, isBackwards: !condition.bound.ownKeys.isEmpty)
        indexWalk = IndexWalk(leaves: condition.bound.leaves.count)
        let isWalked = !condition.bound.relation.isDistributed
        if isWalked, let largest = pages.indices.max(by: { pages[$0] < pages[$1] }), census.expired > 0 {
            try PlanCheck(statements: statements, connection: connection)
                .refuseScans(of: condition.bound.leaves[largest], pages: pages[largest])
        }
        let rows = condition.bound.leaves.reduce(0) { $0 + max(0, $1.estimatedRows) }
        let cheaper = AccessPath.cheaper(expiredShare: rows > 0 ? Double(census.expired) / rows : 1)
        let mayUseIndex = condition.bound.hasOrderedTimeIndex && condition.bound.ownKeys.isEmpty
        if let time = condition.bound.time, !isWalked, census.expired > 0 {
            let range = TimeWalk.Range(lower: nil, upper: nil)
            let oldest = try connection.oldest(
                statements.oldest(in: range, of: condition.bound.relation, time))
            timeWalk = TimeWalk(
                from: oldest ?? task.cutoff, to: task.cutoff, rows: census.expired)
        }
        accessPath = !isWalked ? .index : mayUseIndex ? forced ?? cheaper : .walk
        let dropped = Set(partitions.map(\.oid))
        for number in condition.bound.leaves.indices
        where dropped.contains(condition.bound.leaves[number].oid) {
            walk.leaveOut(number)
            indexWalk.leaveOut(number)
        }
    }

    /// What is to be dropped, the first last.
    static func partitions(
        of condition: ExpiryCondition, in connection: Connection
    ) throws -> [Relation] {
        let bound = condition.bound
        guard condition.dropsPartitions else { return [] }
        do {
            let expired = try ExpiredPartitions(
                of: bound.rule, bound.relation, leaves: bound.leaves,
                from: bound.time?.firstPlausible, before: bound.time?.value(at: condition.task.cutoff),
                in: connection)
            let left = try LeftPartitions(of: bound.relation, in: connection)
            return (left.tables + (expired?.leaves ?? [])).reversed()
        } catch let mismatch as SchemaMismatch {
            throw mismatch.error(of: bound.rule, place: connection.place)
        }
    }

    // MARK: - Partitions

    /// The partition to drop next; nil when only rows are left.
    var nextPartition: Relation? { partitions.last }

    /// The drop of ``nextPartition``, which `commit` ends.
    func drop(
        _ leaf: Relation, _ lockTime: LockTime, on connection: Connection,
        commit: (ChangedRows) throws -> Void
    ) throws -> Int64 {
        let rows = try PartitionDrop(
            leaf: leaf, relation: bound.relation, connection: connection,
            lockTime: lockTime,
            isExpired: statements.condition.isPast.joined(separator: " AND ")
        ).run { try commit(ChangedRows(rows: $0.rows, transaction: $0.transaction)) }
        partitions.removeLast()
        dropped.insert(leaf.oid)
        remaining -= rows
        return rows
    }

    // MARK: - Batches

    /// What a batch visits.
    enum Slice {
        case pages(HeapWalk.Range)
        case index(IndexWalk.Range)
        case times(TimeWalk.Range)

        /// The index of its table among the leaves.
        fileprivate var leaf: Int {
            switch self {
            case .pages(let range): range.leaf
            case .index(let range): range.leaf
            case .times: 0
            }
        }
    }

    /// What the next batch visits: `size` units of pages, or as many rows of the index as they may have; nil at the end.
    func next(_ size: Int, _ unit: PageUnit) -> Slice? {
        if let timeWalk { return timeWalk.next(size).map { .times($0) } }
        let pages = size * Int(unit.pages)
        return switch accessPath {
        case .walk: walk.next(pages).map { .pages($0) }
        case .index: indexWalk.next(pages).map { .index($0) }
        }
    }

    /// Whether nothing is left to visit.
    var isOver: Bool {
        if let timeWalk { return timeWalk.isOver }
        return switch accessPath {
        case .walk: walk.isOver
        case .index: indexWalk.isOver
        }
    }

    /// Begins the transaction of a batch. Until it ends, nobody can put a trigger or a rule on the tables that it reaches, and
    /// none is there that the rule was not bound to.
    func begin(_ kind: TransactionKind, _ slice: Slice, in connection: Connection) throws {
        let leaf = bound.leaves[slice.leaf]
        watch.leaf = leaf.oid
        try watch.begin(kind, locks.sql(with: leaf), isPrepared: preparesStatements, in: connection)
        if leaf.isDistributed { try connection.limitLocks(kind.lockTimeout) }
    }

    /// Changes the rows of `slice`, inside of that transaction. Throws ``Overflow`` if more rows have expired than were
    /// counted.
    func change(_ slice: Slice, in connection: Connection) throws -> (changed: ChangedRows, end: SliceEnd) {
        switch slice {
        case .pages(let range):
            let leaf = bound.leaves[range.leaf]
            let changed =
                locksFirst
                ? try changeLocked(range, leaf, in: connection)
                : try deletePlainly(range, leaf, in: connection)
            return (changed, SliceEnd(missedRows: changed.missedRows))
        case .index(let range): return try changeByIndex(range, in: connection)
        case .times(let range): return try deleteSlice(range, in: connection)
        }
    }

    /// Goes past `slice` after the commit.
    func pass(_ slice: Slice, _ end: SliceEnd, _ rows: Int64) {
        if end.missedRows, walk.isRevisiting { hasPassedLocks = true }
        remaining -= rows
        refusals = 0
        switch slice {
        case .pages(let range):
            walk.pass(range, missedRows: end.missedRows)
            goneInWalk += rows
            // Others may go now, to which those that went referred.
            if walk.isOver, !bound.ownKeys.isEmpty, goneInWalk > 0, remaining > 0 {
                walk.restart()
                goneInWalk = 0
            }
        case .index(let range):
            indexWalk.pass(range, end, gotNone: rows == 0, mayRevisit: remaining > 0)
        case .times(let range): timeWalk?.pass(range, next: end.next)
        }
    }

    /// Decides what to do about a lock that others have. Returns whether the slice should be tried again at once, or was
    /// put off to the end; else the store is busy.
    func isPutOff(_ slice: Slice) -> Bool {
        guard locksFirst else {
            locksFirst = true
            return true
        }
        refusals += 1
        guard case .pages(let range) = slice, refusals < Self.mostRefusals, !walk.isRevisiting else {
            return false
        }
        walk.pass(range, missedRows: true)
        return true
    }

    private static let mostRefusals = 3

    /// Why fewer rows went than were counted; see ``WorkerContext/shortfall()``.
    func shortfall(in connection: Connection) throws -> StoreError? {
        // A slice goes as a whole, so what is there now came since.
        guard remaining > 0, !bound.relation.isDistributed else { return nil }
        var condition = statements.condition
        condition.goesInBatches = false
        return try Shortfall(
            condition: condition, leaves: bound.leaves.filter { !dropped.contains($0.oid) },
            countedSince: countedSince, counted: census.expired,
            deleted: census.expired - remaining, hasPassedLocks: hasPassedLocks
        ).error(in: connection)
    }

    /// More rows have expired than were counted: an app inserts rows that have already expired. The next batch takes no
    /// more than were counted.
    struct Overflow: Error {}

    func takeNoMoreThanCounted() { locksFirst = true }

    // MARK: - The statements

    private func run(
        _ name: String, _ sql: String, _ values: [String?], in connection: Connection
    ) throws -> QueryResult {
        preparesStatements
            ? try connection.queryPrepared(
                "pruned \(name) \(task.rule.name) \(task.cutoff.timeIntervalSince1970)", sql, values)
            : try connection.query(sql, values)
    }

    /// Runs `body`, and names the trigger whose function raised an error.
    private func namingTrigger<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch var error as ServerError {
            let context = error.context ?? ""
            error.trigger = bound.triggers.first { $0.function.map { context.contains("\($0)(") } ?? false }
                .map { "trigger \($0.name) on \($0.table)" }
            throw error
        }
    }

    private func deletePlainly(
        _ range: HeapWalk.Range, _ leaf: Relation, in connection: Connection
    ) throws -> ChangedRows {
        let result = try run(
            "deletion \(leaf.oid)", statements.deletion(from: leaf), range.bounds, in: connection)
        guard result.changes <= remaining else { throw Overflow() }
        return try checked(ChangedRows(rows: result.changes), in: connection)
    }

    private func changeLocked(
        _ range: HeapWalk.Range, _ leaf: Relation, in connection: Connection
    ) throws -> ChangedRows {
        let locking = statements.locking(range, of: leaf, atMost: remaining)
        let locked = try run("locking \(leaf.oid)", locking.sql, locking.values, in: connection)
        var changed = try change(locked, leaf, in: connection)
        let left = try run(
            "remaining \(leaf.oid)", statements.remaining(in: leaf), range.bounds, in: connection
        ).integer(0, 0)
        changed.missedRows = left ?? 0 > Int64(locked.count) - changed.rows
        return changed
    }

    private func changeByIndex(
        _ range: IndexWalk.Range, in connection: Connection
    ) throws -> (ChangedRows, SliceEnd) {
        let (leaf, from, rows) = (bound.leaves[range.leaf], range.from, range.rows)
        guard let time = bound.time else { return (ChangedRows(rows: 0), SliceEnd(isLast: true)) }
        let size = statements.locksRowsThatStay ? Int64(rows) : min(Int64(rows), max(1, remaining))
        if statements.isPlain { return try deleteByIndex(leaf, time, from, size, in: connection) }
        let locked = try run(
            "locking by time \(leaf.oid)", statements.lockingByTime(in: leaf, time),
            [from ?? time.firstText, "\(size)"], in: connection)
        let changed = try change(locked, leaf, in: connection)
        let end = SliceEnd(
            lastTime: locked.count > 0 ? locked.text(locked.count - 1, 1) : from, isLast: locked.count < size)
        return (changed, end)
    }

    private func deleteByIndex(
        _ leaf: Relation, _ time: TimeColumn, _ from: String?, _ size: Int64, in connection: Connection
    ) throws -> (ChangedRows, SliceEnd) {
        let found = try run(
            "deletion by time \(leaf.oid)", statements.deletionByTime(from: leaf, time),
            [from ?? time.firstText, "\(size)"], in: connection)
        let changed = try checked(ChangedRows(rows: found.integer(0, 0) ?? 0), in: connection)
        return (
            changed, SliceEnd(lastTime: found.text(0, 2) ?? from, isLast: (found.integer(0, 1) ?? 0) < size)
        )
    }

    private func deleteSlice(
        _ range: TimeWalk.Range, in connection: Connection
    ) throws -> (ChangedRows, SliceEnd) {
        let leaf = bound.relation
        guard let time = bound.time else { return (ChangedRows(rows: 0), SliceEnd()) }
        let result = try connection.query(statements.deletion(of: range, from: leaf, time))
        // No row of a slice can be left for the next run.
        guard result.changes <= remaining else {
            throw StoreError(
                .busy, operation: "delete expired rows of \(leaf.description)", place: connection.place,
                cause: "more rows have expired than were counted: the app inserts such rows",
                hint: "the next run counts them")
        }
        var changed = ChangedRows(rows: result.changes)
        guard changed.rows > 0 else {
            let rest = TimeWalk.Range(lower: range.upper, upper: nil)
            let next =
                try range.upper == nil ? nil : connection.oldest(statements.oldest(in: rest, of: leaf, time))
            return (changed, SliceEnd(next: next))
        }
        if statements.tellsRows {
            let hashes = RowHash(of: bound).hashes(of: result)
            changed.fingerprint = RowHash.fingerprint(
                of: try connection.query(hashes.sql, hashes.values))
        }
        return (try checked(changed, in: connection), SliceEnd())
    }

    private func change(_ locked: QueryResult, _ leaf: Relation, in connection: Connection) throws
        -> ChangedRows
    {
        guard locked.count > 0 else { return ChangedRows(rows: 0) }
        let before =
            bound.dependentTables.isEmpty
            ? 0 : try connection.query("SELECT \(deletedDependents)").integer(0, 0) ?? 0
        let places = (0..<locked.count).compactMap { locked.text($0, 0) }
        let old = try statements.oldValues(in: leaf).map {
            try run("old \(leaf.oid)", $0, [.arrayLiteral(places)], in: connection)
        }
        let change = statements.change(places, of: leaf, atMost: remaining)
        let result = try namingTrigger {
            try run("change \(leaf.oid)", change.sql, change.values, in: connection)
        }
        var changed = ChangedRows(rows: Int64(result.count), dependents: before)
        if statements.tellsRows { changed.fingerprint = RowHash.fingerprint(of: result) }
        let check = ChangeCheck(
            rule: task.rule.name, statements: statements, connection: connection,
            run: { try self.run($0, $1, $2, in: connection) })
        try check.marks(of: result, leaf)
        try check.rows(places, leaf, changed: result.count, atMost: remaining)
        changed = try checked(changed, in: connection)
        // From here on no name of a statement can be another's.
        try check.tombstones(of: result)
        try archiving?.archive(
            result, from: statements.fixedOutputs, isNewTombstone: 2, before: old, of: task)
        return changed
    }

    /// Looks at the transaction: its number, whether the schema is what the rule was bound to, and what else it changed.
    private func checked(_ changed: ChangedRows, in connection: Connection) throws -> ChangedRows {
        guard changed.rows > 0 else { return changed }
        let found = try watch.check(
            asking: "SELECT pg_current_xact_id(), \(deletedDependents)", in: connection)
        var changed = changed
        changed.transaction = found?.text(0, 0)
        changed.dependents = (found?.integer(0, 1) ?? 0) - changed.dependents
        return changed
    }

    /// SQL of how many rows of the dependents this session has deleted and not reported to the server's statistics, which
    /// it does between transactions.
    private var deletedDependents: String {
        bound.dependentTables.isEmpty
            ? "0"
            : bound.dependentTables.map { "pg_stat_get_xact_tuples_deleted(\($0))" }.joined(separator: " + ")
    }
}

extension Connection {
    /// The answer to ``BatchStatements/oldest(in:of:_:)``.
    fileprivate func oldest(_ question: String) throws -> Date? {
        try query(question).integer(0, 0).map { Date(timeIntervalSince1970: Double($0)) }
    }
}
