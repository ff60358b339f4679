import CSQLite
import Pruning
import Retention
import SQLite

/// Counts a task's rows piece by piece, in the order of their keys, and leaves the store to its app between two pieces.
///
/// Without a write-ahead log no process can commit while another reads. Each piece is read under SQLite's locks, so its
/// count is exact. A row that nobody changes is counted once. Only rows whose keys the app changes meanwhile can be
/// missed or counted twice.
///
/// For a confirmed deletion this also records which rows were counted. If the run leaves some of them, a later run may
/// delete the rest only if it finds exactly these rows. If the app removed a row or added one meanwhile, a person is
/// asked again.
struct CensusInPieces {
    let control: RunControl
    let appLock: AppLock?
    let progress: ProgressHandler
    let lockTime: LockTime
    /// See ``RetentionRule/isQuiet``.
    let isQuiet: Bool

    private static let firstRows = 256
    private static let mostRows = 65_536
    /// So many rows alone are not what takes long, unless they take the processor's time: then it is a busy machine, and
    /// pieces of one row would never end.
    private static let leastRows = 64
    /// How long a piece takes for an app that does not wait, and how many times as long the pause after it is.
    private static let quietTime = Duration.milliseconds(1)
    private static let quietPause = 100.0
    private static let part = 0.3
    private static let shortestPause = Duration.milliseconds(1)
    private static let longestPause = Duration.seconds(1)
    /// How often a piece is tried while the app writes.
    private static let mostTries = 100

    private var target: Duration { isQuiet ? Self.quietTime : lockTime.usual * Self.part }

    /// `hashes` identifies the expired rows; nil if nobody needs to know which they are.
    func take(
        _ condition: ExpiryCondition, telling hashes: RowHashes?, path: String, in db: Database
    ) throws -> CountedRows {
        if let whole = try takeWhole(condition, telling: hashes, in: db) { return whole }
        let kept = try KeptRows(condition, in: db)
        var counted = CountedRows(telling: hashes)
        try each(of: condition, path: path, in: db) { slice in
            counted.add(try CountedRows(slice, condition, kept, telling: hashes, in: db))
        }
        return counted
    }

    /// Calls `read` with each slice of the table of `condition`, in a transaction of its own. If the app writes, the
    /// transaction is rolled back, and `read` is called again.
    func each(
        of condition: ExpiryCondition, path: String, in db: Database, _ read: (Slice) throws -> Void
    ) throws {
        let walk = TableWalk(condition: condition)
        var (position, rows) = (WalkPosition.start, Self.firstRows)
        while true {
            try checkStop(condition, path: path)
            try appLock?.check()
            let (begin, processorTime) = (control.monotonic(), ThreadTime.ofThisThread())
            let slice = try patiently {
                try db.inSnapshot {
                    let slice = try walk.slice(after: position, rows: rows, in: db)
                    try slice.end.checkIsPast(position, of: condition.bound, path: path, in: db)
                    try read(slice)
                    return slice
                }
            }
            guard !slice.isLast else { return }
            let taken = control.monotonic() - begin
            position = slice.end
            let factor = taken > .zero ? min(2, max(0.25, target / taken)) : 2
            let least = processorTime() > target ? 1 : Self.leastRows
            rows = min(Self.mostRows, max(least, Int(Double(rows) * factor)))
            pause(after: taken)
        }
    }

    private func pause(after taken: Duration) {
        control.pause(
            min(Self.longestPause, max(Self.shortestPause, taken * (isQuiet ? Self.quietPause : 1))))
    }

    /// Counts all rows in one piece; nil if that would take longer than a piece may. With an index that finds few rows
    /// it is quick.
    private func takeWhole(
        _ condition: ExpiryCondition, telling hashes: RowHashes?, in db: Database
    ) throws -> CountedRows? {
        // Each piece would read the whole table, to know which rows others refer to.
        guard condition.bound.ownKeys.isEmpty else {
            return try patiently {
                try db.inSnapshot { try CountedRows(condition, telling: hashes, in: db) }
            }
        }
        var counted: CountedRows?
        let taken = try patiently {
            try progress.time(within: target) {
                counted = try db.inSnapshot { try CountedRows(condition, telling: hashes, in: db) }
            }
        }
        if let taken { pause(after: taken) }
        return taken == nil ? nil : counted
    }

    private func checkStop(_ condition: ExpiryCondition, path: String) throws {
        guard let reason = control.stopReason else { return }
        throw StoreError(
            .interrupted, operation: RuleWork.countExpired.of(condition.bound.table.name), place: path,
            cause: reason)
    }

    /// Tries a piece again while the app writes. To begin the whole count again after each write would never end.
    private func patiently<Result>(_ body: () throws -> Result) throws -> Result {
        for _ in 1..<Self.mostTries {
            do { return try body() } catch let error as DatabaseError where error.code & 0xFF == SQLITE_BUSY {
                control.pause(Self.shortestPause)
            }
        }
        return try body()
    }
}

/// How many rows of a task are expired and, if asked for, which.
struct CountedRows {
    private(set) var census = Census(expired: 0, implausible: 0)
    /// The expired rows; nil if nobody needs to know which they are.
    private(set) var expired: RowsFingerprint?

    /// Starts with no rows.
    init(telling hashes: RowHashes?) {
        expired = hashes.map { _ in RowsFingerprint() }
    }

    /// Counts all rows of the table.
    init(_ condition: ExpiryCondition, telling hashes: RowHashes?, in db: Database) throws {
        self.init(telling: hashes)
        census = try TableCensus(condition: condition).take(in: db).census
        if census.expired > 0 { expired = try hashes?.expired(by: condition, in: db) }
    }

    /// Counts the rows of a slice of the table.
    init(
        _ slice: Slice, _ condition: ExpiryCondition, _ kept: KeptRows?, telling hashes: RowHashes?,
        in db: Database
    ) throws {
        self.init(telling: hashes)
        census = try TableCensus(condition: condition).take(slice, kept, in: db)
        if census.expired > 0 { expired = try hashes?.expired(by: condition, of: slice, in: db) }
    }

    /// Adds the rows of another slice.
    mutating func add(_ other: CountedRows) {
        census = Census(
            expired: census.expired + other.census.expired,
            implausible: census.implausible + other.census.implausible)
        if let some = expired, let others = other.expired { expired = some + others }
    }
}
