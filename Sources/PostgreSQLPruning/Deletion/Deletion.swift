import Pruning
import Retention

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
    private var walk: HeapWalk
    /// The partitions to drop before the walk, the next one last.
    private var partitions: [Relation]
    /// The position of the way by the index: a table, and the time of the last row; nil before the first.
    private var indexPlace: (leaf: Int, time: String?) = (0, nil)
    /// How many times as many rows the next batch by the index locks, since the last one got only rows that stay.
    private var indexWidth = 1
    /// Whether the way by the index has begun again, for rows that others had locked.
    private var isIndexRevisited = false
    /// The tables that go as a whole.
    private var leftOut: Set<Int> = []
    private var remaining: Int64
    /// Whether rows are locked first: they may be locked by others, or more may have expired than were counted.
    private var locksFirst: Bool
    /// How many batches in a row could not lock what they need.
    private var refusals = 0
    private let preparesStatements: Bool

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
        partitions = try Self.expiredPartitions(of: condition, in: connection)
        let counting = TableCensus(condition: condition)
        census = try counting.take(in: connection)
        expiredRows = tellsRows ? try counting.fingerprint(in: connection) : nil
        remaining = census.expired
        locksFirst = !statements.isPlain
        watch = SchemaWatch(condition.bound)
        try watch.note(in: connection)
        let pages = try condition.bound.leaves.map {
            try connection.query(
                "SELECT pg_relation_size($1::oid::regclass) / current_setting('block_size')::int",
                ["\($0.oid)"]
            ).integer(0, 0) ?? 0
        }
        walk = HeapWalk(pages: pages)
        if let largest = pages.indices.max(by: { pages[$0] < pages[$1] }), census.expired > 0 {
            try PlanCheck(statements: statements, connection: connection)
                .refuseScans(of: condition.bound.leaves[largest], pages: pages[largest])
        }
        let rows = condition.bound.leaves.reduce(0) { $0 + max(0, $1.estimatedRows) }
        let cheaper = AccessPath.cheaper(expiredShare: rows > 0 ? Double(census.expired) / rows : 1)
        accessPath = condition.bound.hasOrderedTimeIndex ? forced ?? cheaper : .walk
        let dropped = Set(partitions.map(\.oid))
        for number in condition.bound.leaves.indices
        where dropped.contains(condition.bound.leaves[number].oid) {
            walk.leaveOut(number)
            leftOut.insert(number)
        }
        indexPlace.leaf = nextLeaf(from: 0)
    }

    private func nextLeaf(from number: Int) -> Int {
        (number..<bound.leaves.count).first { !leftOut.contains($0) } ?? bound.leaves.count
    }

    private static func expiredPartitions(
        of condition: ExpiryCondition, in connection: Connection
    ) throws -> [Relation] {
        let bound = condition.bound
        // Rows that were put back stay, so the others go one by one.
        guard condition.leased == nil else { return [] }
        let found: ExpiredPartitions?
        do {
            found = try ExpiredPartitions(
                of: bound.rule, bound.relation, leaves: bound.leaves,
                from: bound.time?.firstPlausible, before: bound.time?.value(at: condition.task.cutoff),
                in: connection)
        } catch let mismatch as SchemaMismatch {
            throw mismatch.error(of: bound.rule, place: connection.place)
        }
        guard let found else { return [] }
        return Array((found.detached + found.pending + found.leaves).reversed())
    }

    // MARK: - Partitions

    /// The partition to drop next; nil when only rows are left.
    var nextPartition: Relation? { partitions.last }

    /// The drop of ``nextPartition``.
    func drop(_ leaf: Relation, _ lockTime: LockTime, on connection: Connection) throws -> Int64 {
        let rows = try PartitionDrop(
            leaf: leaf, relation: bound.relation, connection: connection, lockTime: lockTime,
            isExpired: statements.condition.isPast.joined(separator: " AND ")
        ).run()
        partitions.removeLast()
        watch.forget(leaf.oid)
        if partitions.isEmpty { try connection.inquire { try watch.note(in: connection) } }
        remaining -= rows
        return rows
    }

    // MARK: - Batches

    /// What a batch visits.
    enum Slice {
        case pages(HeapWalk.Range)
        case index(leaf: Int, from: String?, rows: Int)
    }

    /// What the next batch visits: `size` units of pages, or as many rows of the index as they may have; nil at the end.
    func next(_ size: Int, _ unit: PageUnit) -> Slice? {
        let pages = size * Int(unit.pages)
        return switch accessPath {
        case .walk: walk.next(pages).map { .pages($0) }
        case .index:
            indexPlace.leaf < bound.leaves.count
                ? .index(
                    leaf: indexPlace.leaf, from: indexPlace.time,
                    rows: pages * Self.indexedRowsPerPage * indexWidth)
                : nil
        }
    }

    /// A batch by the index has fewer rows than the pages of a batch of the walk, as each row is on a page of its own.
    private static let indexedRowsPerPage = 16

    /// Whether nothing is left to visit.
    var isOver: Bool {
        switch accessPath {
        case .walk: walk.isOver
        case .index: indexPlace.leaf >= bound.leaves.count
        }
    }

    /// Changes the rows of `slice`, inside of a transaction. Throws ``Overflow`` if more rows have expired than were
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
        case .index(let number, let from, let rows):
            return try changeByIndex(bound.leaves[number], from, rows, in: connection)
        }
    }

    /// Where a batch ended.
    struct SliceEnd {
        var missedRows = false
        /// The time of the last row, on the way by the index.
        var lastTime: String?
        /// Whether the index has no more rows.
        var isLast = false
    }

    /// Goes past `slice` after the commit.
    func pass(_ slice: Slice, _ end: SliceEnd, _ rows: Int64) {
        remaining -= rows
        refusals = 0
        switch slice {
        case .pages(let range): walk.pass(range, missedRows: end.missedRows)
        case .index(let leaf, let time, _): passIndex(leaf, time, end, rows)
        }
    }

    /// Goes on at the time of the last row, as others may have the same. If all that were locked have that time, and stay,
    /// the next batch must reach further.
    private func passIndex(_ leaf: Int, _ time: String?, _ end: SliceEnd, _ rows: Int64) {
        let isStuck = !end.isLast && rows == 0 && end.lastTime == time
        indexWidth = isStuck ? indexWidth * 2 : end.isLast || end.lastTime != time ? 1 : indexWidth
        indexPlace = end.isLast ? (nextLeaf(from: leaf + 1), nil) : (leaf, end.lastTime)
        guard indexPlace.leaf >= bound.leaves.count, remaining > 0, !isIndexRevisited else { return }
        isIndexRevisited = true
        indexPlace = (nextLeaf(from: 0), nil)
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

    private func deletePlainly(
        _ range: HeapWalk.Range, _ leaf: Relation, in connection: Connection
    ) throws -> ChangedRows {
        let result = try run(
            "deletion \(leaf.oid)", statements.deletion(from: leaf), range.bounds, in: connection)
        guard result.changes <= remaining else { throw Overflow() }
        return try checked(ChangedRows(rows: result.changes), leaf, in: connection)
    }

    private func changeLocked(
        _ range: HeapWalk.Range, _ leaf: Relation, in connection: Connection
    ) throws -> ChangedRows {
        let locked = try run(
            "locking \(leaf.oid)", statements.locking(in: leaf),
            range.bounds + (statements.locksRowsThatStay ? [] : ["\(remaining)"]), in: connection)
        var changed = try change(locked, leaf, in: connection)
        let left = try run(
            "remaining \(leaf.oid)", statements.remaining(in: leaf), range.bounds, in: connection
        ).integer(0, 0)
        changed.missedRows = left ?? 0 > Int64(locked.count) - changed.rows
        return changed
    }

    private func changeByIndex(
        _ leaf: Relation, _ from: String?, _ rows: Int, in connection: Connection
    ) throws -> (ChangedRows, SliceEnd) {
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
        let changed = try checked(ChangedRows(rows: found.integer(0, 0) ?? 0), leaf, in: connection)
        return (
            changed, SliceEnd(lastTime: found.text(0, 2) ?? from, isLast: (found.integer(0, 1) ?? 0) < size)
        )
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
        let result = try run(
            "change \(leaf.oid)", statements.change(in: leaf),
            [.arrayLiteral(places)] + (statements.locksRowsThatStay ? ["\(remaining)"] : []), in: connection)
        var changed = ChangedRows(rows: Int64(result.count), dependents: before)
        if statements.tellsRows {
            var fingerprint = RowsFingerprint()
            for row in 0..<result.count {
                fingerprint.add(UInt64(bitPattern: result.integer(row, 0) ?? 0))
            }
            changed.fingerprint = fingerprint
        }
        try checkMarks(of: result, leaf, in: connection)
        try checkTombstones(of: result, in: connection)
        changed = try checked(changed, leaf, in: connection)
        try archiving?.archive(
            result, from: statements.fixedOutputs, isNewTombstone: 2, before: old, of: task)
        return changed
    }

    /// Throws unless each marked row has the mark. A trigger may have written something else.
    private func checkMarks(of result: QueryResult, _ leaf: Relation, in connection: Connection) throws {
        guard bound.mark != nil, !(0..<result.count).allSatisfy({ result.isTrue($0, 1) }) else { return }
        throw StoreError(
            .unsafe, operation: "apply rule \(task.rule.name)", place: connection.place,
            cause: "marked rows of \(leaf.description) do not have the mark; the batch was rolled back",
            hint: "look for triggers on \(leaf.description)")
    }

    /// Throws unless each deleted row that needs a tombstone has one. A trigger may have taken it away.
    private func checkTombstones(of result: QueryResult, in connection: Connection) throws {
        guard let tombstones = bound.tombstones else { return }
        let keys = (0..<result.count).filter { result.isTrue($0, 1) }.map { row in
            tombstones.key.indices.map { result.text(row, 3 + $0) }
        }
        // No index finds a key that has a NULL in it.
        let missing: Int64 = try [false, true].reduce(0) { sum, hasNull in
            let some = keys.filter { $0.contains(nil) == hasNull }
            guard !some.isEmpty, let question = statements.missingTombstones(hasNull: hasNull) else {
                return sum
            }
            let values = tombstones.key.indices.map { column in String.arrayLiteral(some.map { $0[column] }) }
            let found = try run("tombstones \(hasNull)", question, values, in: connection)
            return sum + (found.integer(0, 0) ?? 0)
        }
        guard missing > 0 else { return }
        throw StoreError(
            .unsafe, operation: "apply rule \(task.rule.name)", place: connection.place,
            cause:
                "\(missing) tombstones were written, and are not in \(tombstones.relation.description); the batch was rolled"
                + " back", hint: "look for triggers on \(tombstones.relation.description)")
    }

    /// Looks at the transaction: its number, whether the schema is what the rule was bound to, and what else it changed.
    private func checked(
        _ changed: ChangedRows, _ leaf: Relation, in connection: Connection
    ) throws -> ChangedRows {
        guard changed.rows > 0 else { return changed }
        let found = try run(
            "check \(leaf.oid)", "SELECT pg_current_xact_id(), \(SchemaWatch.question), \(deletedDependents)",
            [watch.array], in: connection)
        guard found.text(0, 1) == watch.state else { throw SchemaChanged() }
        var changed = changed
        changed.transaction = found.text(0, 0)
        changed.dependents = (found.integer(0, 2) ?? 0) - changed.dependents
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

/// The catalog has changed since the rule was bound.
struct SchemaChanged: Error {}
