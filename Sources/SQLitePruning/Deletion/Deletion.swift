import GRDB
import Pruning

/// The deletion of one task's rows.
final class Deletion {
    let task: PruneTask
    let plan: DeletePlan
    private let path: String
    private let bound: BoundRule
    private let condition: ExpiryCondition
    private let walk: any Walk
    private var position = WalkPosition.start
    private var schemaVersion: Int32
    private var dataVersion: Int

    init(task: PruneTask, expired: Int64, path: String, in db: Database) throws {
        self.task = task
        self.path = path
        schemaVersion = try db.schemaVersion()
        dataVersion = try db.dataVersion()
        bound = try Self.bind(task, path: path, in: db)
        condition = try ExpiryCondition(bound: bound, task: task, in: db)
        plan = try DeletePlan.cheaper(
            expired: expired, rows: Self.rows(of: bound.table, notMuchAbove: expired, in: db),
            hasTimeIndex: bound.timeIndex != nil)
        if plan == .index, let index = bound.timeIndex {
            walk = IndexWalk(condition: condition, index: index)
        } else {
            walk = TableWalk(condition: condition)
        }
    }

    /// The number of rows as far as the plan depends on it. Counted by a loop that stops early, not by SQLite's own
    /// count of a table, which on a large one takes seconds without a sign of life.
    private static func rows(of table: TableSchema, notMuchAbove expired: Int64, in db: Database) throws
        -> Int64
    {
        try Int64.fetchOne(
            db, sql: "SELECT count(*) FROM (SELECT 1 FROM \(table.name.quotedIdentifier) LIMIT ?)",
            arguments: [DeletePlan.rowsOfInterest(expired: expired)]) ?? 0
    }

    private static func bind(_ task: PruneTask, path: String, in db: Database) throws -> BoundRule {
        try RuleValidation(rule: task.rule, path: path, uri: Connection.uri(.read, path)).bind(in: db)
    }

    func deleteBatch(
        rows: Int, in db: Database, monotonic: @Sendable () -> Duration
    ) throws -> BatchResult {
        guard let slice = try nextSlice(rows: rows, in: db) else { return .nothingYet }
        let othersWrote = try didOthersWrite(in: db)
        let statement = try db.cachedStatement(sql: deletion(of: slice))
        condition.bind(to: statement, slice.arguments)

        let asked = monotonic()
        try db.beginTransaction(.immediate)
        let granted = monotonic()
        let deleted: Int
        let dependents: Int
        do {
            try checkSchema(in: db)
            let before = db.totalChangesCount
            try statement.execute()
            deleted = db.changesCount
            dependents = db.totalChangesCount - before - deleted
            try checkReach(dependents)
            try db.commit()
        } catch {
            // SQLite may have rolled back already; what failed is what the caller must hear.
            try? db.rollback()
            throw error
        }
        let released = monotonic()
        position = slice.end
        return BatchResult(
            deleted: Int64(deleted), dependentsDeleted: Int64(dependents), visited: rows,
            held: released - granted, waited: granted - asked, othersWrote: othersWrote,
            isLast: slice.isLast)
    }

    /// The next slice with an expired row in it, or the last one. Slices without any are passed, and no lock is taken
    /// for them; nil after many, so that the run gets a chance to stop.
    private func nextSlice(rows: Int, in db: Database) throws -> Slice? {
        for _ in 0..<min(Self.mostEmptySlices, max(1, Self.mostEmptyRows / rows)) {
            let slice = try walk.slice(after: position, rows: rows, in: db)
            if try slice.isLast || holdsExpiredRow(slice, in: db) { return slice }
            position = slice.end
        }
        return nil
    }

    private static let mostEmptySlices = 64
    /// Passed in some tenths of a second.
    private static let mostEmptyRows = 250_000

    private func holdsExpiredRow(_ slice: Slice, in db: Database) throws -> Bool {
        let statement = try db.cachedStatement(sql: "SELECT 1 \(fromWhere(slice)) LIMIT 1")
        condition.bind(to: statement, slice.arguments)
        return try Row.fetchOne(statement) != nil
    }

    /// What an index says of a row is not the row: where an index finds the rows, each is looked up by its key and judged
    /// by what stands in the table, so that a damaged index cannot make a row go.
    private func deletion(of slice: Slice) -> String {
        guard plan == .index else { return "DELETE " + fromWhere(slice) }
        let table = bound.table
        return """
            DELETE FROM \(table.name.quotedIdentifier) WHERE \(table.keySQL) IN \
            (SELECT \(table.keyOrder) \(fromWhere(slice))) AND \(condition.expired)
            """
    }

    private func fromWhere(_ slice: Slice) -> String {
        let terms = slice.terms + [condition.expired]
        return "FROM \(bound.table.name.quotedIdentifier) WHERE \(terms.joined(separator: " AND "))"
    }

    private func didOthersWrite(in db: Database) throws -> Bool {
        let version = try db.dataVersion()
        defer { dataVersion = version }
        return version != dataVersion
    }

    /// The app may migrate its schema between two batches. A change that leaves the rule valid and its table as it
    /// was is accepted.
    private func checkSchema(in db: Database) throws {
        let version = try db.schemaVersion()
        guard version != schemaVersion else { return }
        let now = try Self.bind(task, path: path, in: db)
        guard now.table == bound.table else {
            throw StoreError(
                .schema, operation: "apply rule \(task.rule.name)", place: path,
                cause: "table \(bound.table.name) changed during the run", hint: "the next run starts afresh")
        }
        schemaVersion = version
    }

    private func checkReach(_ others: Int) throws {
        guard others == 0 || !task.rule.dependents.isEmpty else {
            throw StoreError(
                .unsafe, operation: "apply rule \(task.rule.name)", place: path,
                cause:
                    "a batch would have changed \(others) rows that are not the rule's; it was rolled back",
                hint: "look for triggers and foreign keys on \(bound.table.name)")
        }
    }
}

extension BatchResult {
    /// Many rows were looked at without a hit; no lock was taken.
    fileprivate static let nothingYet = BatchResult(
        deleted: 0, dependentsDeleted: 0, visited: 0, held: .zero, waited: .zero, othersWrote: false,
        isLast: false)
}

extension Database {
    /// Changes when another connection commits; sqlite.org/pragma.html#pragma_data_version.
    fileprivate func dataVersion() throws -> Int {
        try Int.fetchOne(self, sql: "PRAGMA data_version") ?? 0
    }
}
