import Archive
import FoundationEssentials
import Pruning
import Retention
import SQLite

/// Reads the rows of a rule's table that may have come back.
final class SQLiteReturnSearch: ReturnSearch {
    private let task: PruneTask
    private let view: SQLiteView
    /// The condition on the connection for which it was made.
    private var known: (db: Database, condition: ExpiryCondition)?
    private(set) var source: IdentitySource?

    init(_ task: PruneTask, in view: SQLiteView) throws(StoreError) {
        (self.task, self.view) = (task, view)
        source = try read { _, condition in condition.bound.identity?.source }
    }

    var pace: ReturnPace? {
        guard view.access == .read, !view.hasLog else { return nil }
        return task.rule.isQuiet
            ? ReturnPace(target: .milliseconds(1), pause: 100)
            : ReturnPace(target: view.lockTime.usual * 0.3, pause: 1)
    }

    func begin(since last: LastLook?) throws(StoreError) -> (look: LastLook, pieces: [Candidates]) {
        try read { db, condition in
            let look = try self.look(condition, in: db)
            let isSame = try self.isSame(last, condition, in: db)
            return (look, try Candidates.all(condition, last: last, isSameRow: isSame, in: db))
        }
    }

    func read(
        _ piece: Candidates, rows: Int
    ) throws(StoreError) -> (identities: [UInt64], rest: Candidates?) {
        try read { db, condition in
            let slice = try piece.walk.slice(after: piece.position, rows: rows, in: db)
            try slice.end.checkIsPast(piece.position, of: condition.bound, path: self.view.path, in: db)
            let terms =
                slice.terms + piece.terms + condition.notGone + [condition.notLeased].compactMap(\.self)
            let identities = try self.identities(
                where: terms.orTrue, condition.values(and: slice.arguments), condition, in: db)
            return (identities, slice.isLast ? nil : piece.after(slice.end))
        }
    }

    private func identities(
        where terms: [String], _ values: [String: DatabaseValue], _ condition: ExpiryCondition,
        in db: Database
    ) throws -> [UInt64] {
        guard let columns = condition.bound.identity else { return [] }
        var found: [UInt64] = []
        let rows = condition.bound.found(terms.joined(separator: " AND "))
        try db.eachRow("SELECT \(columns.selection) \(rows)", values) { bytes in
            let identity = RowIdentity.of(bytes, columns: columns.names.count)
            if identity != RowIdentity.none { found.append(identity) }
        }
        return found
    }

    /// What the next look has to know of the table as it is now.
    private func look(_ condition: ExpiryCondition, in db: Database) throws -> LastLook {
        let table = condition.bound.table
        guard !table.isWithoutRowID,
            case .int64(let row) = try db.value(
                "SELECT max(\(table.keySQL)) FROM \(table.name.quotedIdentifier)")
        else { return LastLook(at: task.start, row: nil, identity: nil) }
        let identity = try identities(of: row, condition, in: db).first
        return LastLook(at: task.start, row: row, identity: identity)
    }

    /// Whether the last row of that look is the same one still.
    private func isSame(
        _ look: LastLook?, _ condition: ExpiryCondition, in db: Database
    ) throws -> Bool {
        guard let row = look?.row, let identity = look?.identity, !condition.bound.table.isWithoutRowID
        else { return false }
        return try identities(of: row, condition, in: db) == [identity]
    }

    private func identities(
        of row: Int64, _ condition: ExpiryCondition, in db: Database
    ) throws -> [UInt64] {
        try identities(
            where: ["\(condition.bound.table.keySQL) = :row"], ["row": .int64(row)], condition, in: db)
    }

    /// How often a piece is tried while the app writes.
    private static let mostTries = 100

    /// Reads in one state of the store. Tries again while the app writes.
    private func read<Result>(
        _ body: (Database, ExpiryCondition) throws -> Result
    ) throws(StoreError) -> Result {
        for _ in 1..<Self.mostTries {
            do throws(StoreError) {
                return try once(body)
            } catch  where error.kind == .busy && view.control.stopReason == nil {
                view.control.pause(.milliseconds(1))
            }
        }
        return try once(body)
    }

    private func once<Result>(
        _ body: (Database, ExpiryCondition) throws -> Result
    ) throws(StoreError) -> Result {
        try view.read(RuleWork.lookForReturned.of(task.rule.table), of: task.rule) { db in
            if view.access == .read { view.hasLog = try db.isWAL() }
            let condition =
                try known.flatMap { $0.db === db ? $0.condition : nil }
                ?? view.condition(of: task.byTimeAlone, groups: false, in: db)
            known = (db, condition)
            return try body(db, condition)
        }
    }
}

extension PruneTask {
    /// The task without what protects rows that are old enough. What does not decide need not be looked for, which may
    /// take long.
    fileprivate var byTimeAlone: PruneTask {
        var rule = rule
        (rule.condition, rule.protect, rule.keepLast, rule.keepLastPer) = (nil, [], nil, [])
        return PruneTask(rule, start: start, in: timeZone)
    }
}
