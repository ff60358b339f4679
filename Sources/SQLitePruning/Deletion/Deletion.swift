import Pruning
import Retention
import SQLite

/// The deletion of one task's rows.
final class Deletion {
    let task: PruneTask
    let census: Census
    let accessPath: AccessPath
    /// The rows that ``census`` counted; nil if nobody needs to know which they are.
    let expiredRows: RowsFingerprint?
    private let path: String
    private let bound: BoundRule
    private var condition: ExpiryCondition
    private let walk: any Walk
    private var position = WalkPosition.start
    private var remaining: Int64
    /// The number of rows that went since the walk began at the start of the table. As long as some go, others may that they
    /// referred to.
    private var goneInWalk: Int64 = 0
    /// Whether the walk begins at the end of the table, as each second one does where rows refer to each other: rows usually
    /// refer to rows that were there before them, and go before these.
    private var walksBack: Bool
    /// The last rowid when the rows were counted. Later rows are left to the next run, whose guards count them. Nil for
    /// a table without rowids; there only the number of counted rows limits the run.
    private let lastRow: DatabaseValue?
    private var schema: SchemaWatch
    /// The data version of the census. While it is unchanged, nobody else has written, and the census is still correct.
    private let dataVersion: Int64
    private var newest: NewestWatch
    /// Whether no further batch needs a check that its rows have the mark.
    private var areMarksProven = false
    /// Archives the rows before they are deleted; nil if they are not archived.
    private let archiving: Archiving?
    /// What a batch does, for reports of stuck work.
    let work: StoreWork
    /// Nil if the rule declares nothing of rows that refer to its own.
    private let doomed: DoomedRows?
    /// Identifies the deleted rows; nil if nobody needs to know which they are.
    private let hashes: RowHashes?

    /// Prepares a deletion from the state of the store. Runs inside a transaction, or outside of any if `pieces` counts
    /// the rows. In that case the caller still has to check the indexes that decide.
    init(
        task: PruneTask, accessPath forced: AccessPath?, path: String, gate: StoreGate? = nil,
        rules: [RetentionRule] = [],
        leases: LeaseFunction? = nil,
        archiving: Archiving? = nil, tellsRows: Bool = false, pieces: CensusInPieces? = nil, in db: Database
    ) throws {
        self.task = task
        self.path = path
        self.archiving = archiving
        // This reads the store, so that the data version below is that of the state that is read.
        let schemaVersion = try db.schemaVersion()
        dataVersion = try db.dataVersion()
        let validation = RuleValidation(rule: task.rule, path: path, gate: gate, rules: rules)
        bound = try validation.bind(in: db)
        schema = SchemaWatch(
            validation: validation, bound: bound, path: path, version: schemaVersion, dataVersion: dataVersion
        )
        newest = NewestWatch(pieces: pieces, path: path, dataVersion: dataVersion)
        condition = try ExpiryCondition(
            bound: bound, task: task, leases: leases, groups: pieces == nil, in: db)
        doomed = try DoomedRows(of: bound, in: db)
        if !bound.groups.isEmpty { try pieces?.lookForNewest(&condition, path: path, in: db) }
        lastRow =
            try bound.table.isWithoutRowID
            ? nil : db.value("SELECT max(\(bound.table.keySQL)) FROM \(bound.table.name.quotedIdentifier)")
        hashes = tellsRows ? RowHashes(of: bound) : nil
        let counted =
            try pieces?.take(condition, telling: hashes, path: path, in: db)
            ?? CountedRows(condition, telling: hashes, in: db)
        (census, expiredRows) = (counted.census, counted.expired)
        remaining = census.expired
        condition.goesChildrenFirst = true
        walksBack = !bound.ownKeys.isEmpty
        if walksBack { position = .top }
        if remaining > 0, pieces == nil { try DecidingIndex.check(condition, path: path, in: db) }
        work = StoreWork(
            SlowRow.operation(bound), place: path, rule: task.rule,
            suspect: remaining > 0 ? try SlowRow(bound: bound, path: path).suspect(in: db) : nil)
        guard let index = bound.timeIndex else {
            (accessPath, walk) = (.walk, TableWalk(condition: condition))
            return
        }
        accessPath =
            try forced
            ?? .cheaper(expiredShare: Self.expiredShare(condition, sample: AccessPath.sample, in: db))
        walk =
            accessPath == .walk
            ? TableWalk(condition: condition) : IndexWalk(condition: condition, index: index)
    }

    /// The share of past rows among the first rows of the walk. If keys are in random order, these are as good as a
    /// sample. If keys follow time, the past rows are together at the beginning, and the walk ends after them.
    private static func expiredShare(
        _ condition: ExpiryCondition, sample rows: Int, in db: Database
    ) throws -> Double {
        let table = condition.bound.table
        let row = try db.row(
            """
            SELECT count(*) FILTER (WHERE isExpired), count(*) FROM (SELECT \(condition.expiredUnlessKept) AS isExpired \
            FROM \(table.name.quotedIdentifier) ORDER BY \(table.keyOrder) LIMIT \(rows))
            """, condition.values())
        let counts = row?.map { Double($0.integer) } ?? [0, 0]
        return counts[1] > 0 ? counts[0] / counts[1] : 0
    }

    /// Throws if deleting one row takes longer than a batch should.
    func checkScans(_ lockTime: LockTime, _ progress: ProgressHandler, in db: Database) throws {
        try schema.validation.checkScans(of: bound, lockTime, progress, in: db)
    }

    /// Throws if the table refuses the values of the mark.
    func checkMark(in db: Database) throws { try MarkTrial(condition: condition, path: path).run(in: db) }

    /// Whether a condition reads other tables.
    var readsOthers: Bool { !bound.others.isEmpty }

    /// Throws if a table that a condition reads has values that it cannot compare.
    func checkKinds(in db: Database) throws { try schema.validation.checkKinds(of: bound, in: db) }

    /// Throws if rows that stay refer to rows that would go, or if a trigger refuses to let rows go.
    func checkReferences(in db: Database) throws {
        var condition = condition
        condition.goesChildrenFirst = false
        try HoldingReferences(task: task, path: path, changing: []).check(in: db) { condition }
        try RefusedRows(condition: condition, path: path).check(in: db)
    }

    /// The error for a row that took too long to delete; `cause` says how long.
    func failure(_ cause: String, in db: Database) throws -> StoreError {
        try SlowRow(bound: bound, path: path).failure(cause, in: db)
    }

    /// The next slice that has a row whose time is past, or the last slice. Slices without such a row are skipped
    /// without taking a lock. Nil after many of them, so that the run gets a chance to stop.
    func nextSlice(rows: Int, in db: Database) throws -> ChosenSlice? {
        var width = rows
        for _ in 0..<min(Self.mostEmptySlices, max(1, Self.mostEmptyRows / rows)) {
            let version = try db.dataVersion()
            try newest.keep(&condition, asOf: version, mayTakeLong: true, in: db)
            let slice = try walk.slice(after: position, rows: width, in: db)
            try slice.end.checkIsPast(position, of: bound, path: path, in: db)
            let holdsPastRow = try holdsPastRow(slice, in: db)
            if holdsPastRow, width > rows {
                width = max(rows, width / Self.widening)
            } else if holdsPastRow || slice.isLast {
                return ChosenSlice(
                    slice: slice, dataVersion: version, keepsNone: try keepsNone(of: slice, in: db))
            } else {
                position = slice.end
                width = max(rows, min(width * Self.widening, Self.widest))
            }
        }
        return nil
    }

    /// With small batches, as at the beginning, it would take long to get past many rows in such steps.
    private static let widest = 1_024
    private static let widening = 4

    private static let mostEmptySlices = 64
    /// Skipped in some tenths of a second.
    private static let mostEmptyRows = 250_000

    /// Archives the expired rows of a slice before there is a lock that anybody could wait for.
    func prepare(_ chosen: ChosenSlice, in db: Database) throws {
        guard let archiving else { return }
        let place = place(of: chosen.slice, asking: chosen.keepsNone ? nil : condition.notKept)
        let values = values(chosen.slice.arguments)
        try archiving.prepare(bound, place, values, of: task, in: db)
    }

    /// Deletes the expired rows of a slice, inside a write transaction. `version` is the data version in that
    /// transaction.
    func delete(_ chosen: ChosenSlice, version: Int64, in db: Database) throws -> DeletedRows {
        let slice = chosen.slice
        try schema.check(asOf: version, in: db)
        try newest.keep(&condition, asOf: version, mayTakeLong: false, in: db)
        // Looking again would find the same while nobody has written, and read a keeper without an index again.
        let keepsNone =
            try version == chosen.dataVersion ? chosen.keepsNone : keepsNone(of: slice, in: db)
        var place = place(of: slice, asking: keepsNone ? nil : condition.notKept)
        let values = values(slice.arguments)
        if let doomed {
            try doomed.note(place, values, in: db)
            place = doomed.place
        }
        let before = db.totalChanges
        let fingerprint = try hashes?.fingerprint(of: bound.from(place), values, in: db)
        let change = RowChange(bound: bound, doomed: doomed, place: place, values: values)
        let (rows, others) = try change.run(task, archiving, in: db)
        try bound.check(rows: rows, ofCounted: remaining, at: path)
        let dependents = db.totalChanges - before - rows - others
        try bound.check(dependents: dependents, at: path)
        if bound.mark != nil, rows > 0, !areMarksProven { try checkMarks(slice, in: db) }
        // While nobody else writes, only counted rows are expired.
        let isOver = slice.isLast && (bound.ownKeys.isEmpty || goneInWalk + rows == 0)
        let isLast = isOver || (version == dataVersion && rows >= remaining)
        return DeletedRows(rows: rows, fingerprint: fingerprint, dependents: dependents, isLast: isLast)
    }

    /// Moves past the slice, after the commit.
    func pass(_ chosen: ChosenSlice, _ deleted: DeletedRows) {
        position = chosen.slice.end
        remaining -= deleted.rows
        goneInWalk += deleted.rows
        guard chosen.slice.isLast else { return }
        walksBack.toggle()
        (position, goneInWalk) = (walksBack ? .top : .start, 0)
    }

    /// Why fewer rows went than were counted; see ``WorkerContext/shortfall()``.
    ///
    /// If others wrote meanwhile, other rows may have expired in the place of those that the app changed, so that only a
    /// deletion of nothing is no success.
    func shortfall(pieces: CensusInPieces?, in db: Database) throws -> StoreError? {
        guard remaining > 0 else { return nil }
        let isAlone = try db.dataVersion() == dataVersion
        guard isAlone || remaining == census.expired else { return nil }
        var condition = condition
        condition.goesChildrenFirst = false
        let counted =
            try pieces?.take(condition, telling: nil, path: path, in: db)
            ?? CountedRows(condition, telling: nil, in: db)
        let left = counted.census.expired
        guard isAlone ? left > 0 : left >= census.expired else { return nil }
        // What others have brought since is not among the counted.
        guard try isAlone || countOld(condition, in: db) >= census.expired else { return nil }
        return StoreError(
            .other, operation: RuleWork.deleteExpired.of(bound.table.name), place: path,
            cause: "\(census.expired.grouped) rows had expired, \((census.expired - remaining).grouped) were"
                + " deleted, and \(left.grouped) are still there",
            hint: bound.ownKeys.isEmpty
                ? "look at the store with `PRAGMA integrity_check`"
                : StoreHint.circle(in: bound.table.name)
        )
    }

    /// How many of the rows that were there at the count are expired; 0 if that cannot be told.
    private func countOld(_ condition: ExpiryCondition, in db: Database) throws -> Int64 {
        guard lastRow != nil else { return 0 }
        let place = (came + [condition.expired]).joined(separator: " AND ")
        return try db.value("SELECT count(*) \(bound.from(place))", values([:])).integer
    }

    /// Whether the keeper keeps none of the slice's rows. An index, which the census may use, can be damaged, so this reads
    /// the table itself.
    ///
    /// This check costs much less than a DELETE that tests each row: that would collect all keys before it deletes any
    /// row.
    private func keepsNone(of slice: Slice, in db: Database) throws -> Bool {
        // A DELETE with a subquery, as one by an index is, collects all keys in any case.
        guard
            bound.keepers.isEmpty
                || accessPath == .walk && bound.others.isEmpty && !condition.hasGroups
        else { return false }
        guard let kept = try KeptRows(condition, in: db) else { return true }
        let arguments = slice.arguments.merging(kept.values) { $1 }
        let places = slice.keys.flatMap(kept.ranges)?.map { [$0] } ?? [slice.terms]
        return try places.allSatisfy {
            try !exists($0 + condition.byTime + [kept.sql] + condition.byRow, arguments, in: db)
        }
    }

    private func holdsPastRow(_ slice: Slice, in db: Database) throws -> Bool {
        let terms =
            bound.goTogether
            ? [place(of: slice, asking: nil)] : slice.terms + came + [condition.expiredUnlessKept]
        return try exists(terms, slice.arguments, in: db)
    }

    /// SQL that is true of rows that existed when the rows were counted. The `+` prevents SQLite from searching by it.
    private var came: [String] { lastRow == nil ? [] : ["+\(bound.table.keySQL) <= :last_row"] }

    private func values(_ arguments: [String: DatabaseValue]) -> [String: DatabaseValue] {
        condition.values(and: arguments.merging(["last_row": lastRow ?? .null]) { $1 })
    }

    private func exists(
        _ terms: [String], _ arguments: [String: DatabaseValue], in db: Database
    ) throws -> Bool {
        let place = terms.joined(separator: " AND ")
        let rows = accessPath == .walk ? bound.from(place) : bound.found(place)
        return try db.row("SELECT 1 \(rows) LIMIT 1", values(arguments)) != nil
    }

    /// An index may be damaged and find rows that have not expired. Rows that it finds are therefore looked up by their
    /// keys and judged by the values in the table.
    private func place(of slice: Slice, asking notKept: String?) -> String {
        let expired = came + [condition.expiredUnlessKept, notKept].compactMap(\.self)
        var place = (slice.terms + expired).joined(separator: " AND ")
        if accessPath == .index {
            let table = bound.table
            let found = (slice.terms + [condition.expiredUnlessKept]).joined(separator: " AND ")
            place = """
                \(table.keySQL) IN (SELECT \(table.keyOrder) \(bound.found(found))) \
                AND \(expired.joined(separator: " AND "))
                """
        }
        return [place, condition.notReferredTo(fromOutside: place)].compactMap(\.self).joined(
            separator: " AND ")
    }

    /// A column may turn the value into another: that shows in the first batch. A trigger may undo a mark in any. Then the
    /// row would be marked again and again, or come back.
    private func checkMarks(_ slice: Slice, in db: Database) throws {
        let unmarked = slice.terms + came + [condition.expired]
        guard try exists(unmarked, slice.arguments, in: db) else {
            areMarksProven = !bound.firesTriggers
            return
        }
        throw StoreError(
            .unsafe, operation: "apply rule \(task.rule.name)", place: path,
            cause:
                "a row of \(bound.table.name) does not have the values that action set; the batch was rolled back",
            hint: "look for triggers on \(bound.table.name), and whether its columns can have these values")
    }
}

/// What a DELETE did.
struct DeletedRows {
    let rows: Int64
    /// Which rows these were; nil if nobody needs to know.
    let fingerprint: RowsFingerprint?
    /// The rows of other tables that were deleted with them.
    let dependents: Int64
    /// Whether nothing is left to delete.
    let isLast: Bool
}
