import Archive
import FoundationEssentials
import Pruning
import Retention
import SQLite

/// Looks for rows of a rule's table that came back after the rule had deleted them, piece by piece, and leaves the store
/// to its app between two pieces. It never has more than a part of the identities in memory.
final class ReturnLook {
    private let task: PruneTask
    private let archive: any RowArchive
    private let control: RunControl
    private let path: String
    private let pace: Pace
    private let read: (_ body: (Database) throws -> Void) throws(StoreError) -> Void
    private let condition: (Database) throws -> ExpiryCondition
    /// The condition on the connection for which it was made.
    private var known: (db: Database, condition: ExpiryCondition)?

    /// How fast the look may be.
    struct Pace {
        /// How long a piece should take if the app cannot commit meanwhile.
        let target: Duration
        /// How many times as long the pause after such a piece is.
        let pause: Double
        /// Whether the app cannot commit while a piece is read.
        let blocksApp: () -> Bool
        /// The most identities in memory.
        let mostCandidates: Int
    }

    /// `read` runs its argument in one state of the store, more than once if the store was disturbed. `condition` makes
    /// the condition of a rule that expires by time alone.
    init(
        _ task: PruneTask, in archive: any RowArchive, path: String, pace: Pace, _ control: RunControl,
        read: @escaping (_ body: (Database) throws -> Void) throws(StoreError) -> Void,
        condition: @escaping (Database) throws -> ExpiryCondition
    ) {
        (self.task, self.archive, self.path, self.pace, self.control) = (task, archive, path, pace, control)
        (self.read, self.condition) = (read, condition)
    }

    /// See ``ViewContext/cameBack(of:)``.
    func take() throws(StoreError) -> Int64? {
        guard let source = try piece({ _, condition in condition.bound.identity?.source }),
            let identities = try archive.openIdentities(of: source, control)
        else { return nil }
        defer { identities.close() }
        let look = try piece { db, condition in try self.look(condition, in: db) }
        let candidates = try piece { db, condition in
            try Candidates(
                condition, last: identities.lastLook,
                isSameRow: self.isSame(identities.lastLook, condition, in: db), in: db)
        }
        var found: [UInt64] = []
        for part in candidates.parts {
            try walk(part, &found) { all throws(StoreError) in try identities.take(all) }
        }
        found.putInOrder()
        try identities.take(found)
        return try identities.end(look)
    }

    private static let firstRows = 256
    private static let mostRows = 65_536
    private static let usualTime = Duration.milliseconds(50)
    private static let shortestPause = Duration.milliseconds(1)
    private static let longestPause = Duration.seconds(1)
    /// How often a piece is tried while the app writes.
    private static let mostTries = 100

    /// Adds the identities of the rows of `part` to `found`. If these are too many, passes them to `take` first.
    private func walk(
        _ part: Candidates.Part, _ found: inout [UInt64],
        _ take: ([UInt64]) throws(StoreError) -> Void
    ) throws(StoreError) {
        var (position, rows) = (part.start, Self.firstRows)
        while true {
            try checkStop()
            if found.count >= pace.mostCandidates {
                found.putInOrder()
                try take(found)
                found.removeAll(keepingCapacity: true)
            }
            let begin = control.monotonic()
            let count = min(rows, pace.mostCandidates - found.count)
            let (slice, identities) = try piece { db, condition in
                try self.read(part, after: position, rows: count, condition, in: db)
            }
            let taken = control.monotonic() - begin
            found += identities
            guard !slice.isLast else { return }
            position = slice.end
            let isBlocked = pace.blocksApp()
            let target = isBlocked ? pace.target : Self.usualTime
            let factor = taken > .zero ? min(2, max(0.25, target / taken)) : 2
            rows = min(Self.mostRows, max(1, Int(Double(rows) * factor)))
            if isBlocked {
                control.pause(min(Self.longestPause, max(Self.shortestPause, taken * pace.pause)))
            }
        }
    }

    private func read(
        _ part: Candidates.Part, after position: WalkPosition, rows: Int, _ condition: ExpiryCondition,
        in db: Database
    ) throws -> (Slice, [UInt64]) {
        let slice = try part.walk.slice(after: position, rows: rows, in: db)
        try slice.end.checkIsPast(position, of: condition.bound, path: path, in: db)
        // A marked row is not back. A row with a lease was put back by a restore.
        let terms = slice.terms + part.terms + condition.notGone + [condition.notLeased].compactMap(\.self)
        let identities = try identities(
            where: terms.orTrue, condition.values(and: slice.arguments), condition, in: db)
        return (slice, identities)
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

    /// Reads in one state of the store. Tries again while the app writes.
    private func piece<Result>(
        _ body: (Database, ExpiryCondition) throws -> Result
    ) throws(StoreError) -> Result {
        for _ in 1..<Self.mostTries {
            do throws(StoreError) {
                return try once(body)
            } catch  where error.kind == .busy && control.stopReason == nil {
                control.pause(Self.shortestPause)
            }
        }
        return try once(body)
    }

    private func once<Result>(
        _ body: (Database, ExpiryCondition) throws -> Result
    ) throws(StoreError) -> Result {
        var result: Result?
        try read { db in
            let condition = try known.flatMap { $0.db === db ? $0.condition : nil } ?? self.condition(db)
            known = (db, condition)
            result = try body(db, condition)
        }
        guard let result else {
            throw StoreError(.other, operation: operation, place: path, cause: "nothing was read")
        }
        return result
    }

    private func checkStop() throws(StoreError) {
        guard let reason = control.stopReason else { return }
        throw StoreError(.interrupted, operation: operation, place: path, cause: reason)
    }

    private var operation: String { RuleWork.lookForReturned.of(task.rule.table) }
}

extension [UInt64] {
    /// Leaves each once, in ascending order.
    fileprivate mutating func putInOrder() {
        sort()
        var kept = 0
        for index in indices where kept == 0 || self[kept - 1] != self[index] {
            self[kept] = self[index]
            kept += 1
        }
        removeLast(count - kept)
    }
}
