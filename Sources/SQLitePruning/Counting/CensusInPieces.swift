import CSQLite
import Pruning
import Retention
import SQLite

/// Counts a task's rows piece by piece, in the order of their keys, and leaves the store to its app between two pieces.
///
/// Without a write-ahead log nobody commits while somebody reads. Each piece is read under SQLite's locks, so that what is
/// counted is so: a row that nobody changes counts once, and only those can be missed or counted twice whose keys the app
/// changes meanwhile.
///
/// Of a confirmed deletion it is told which rows were counted. What its run leaves goes on only if it is the rest of
/// these, as of one instant: each row of it was counted, then, and where the app took one away or brought another
/// meanwhile, a person is asked once more.
struct CensusInPieces {
    let control: RunControl
    let progress: ProgressHandler
    let lockTime: LockTime
    /// See ``RetentionRule/isQuiet``.
    let isQuiet: Bool

    private static let firstRows = 256
    private static let mostRows = 65_536
    /// How long a piece takes of the app that does not wait, and for how many times as long the store is then free.
    private static let quietTime = Duration.milliseconds(1)
    private static let quietPause = 100.0
    private static let part = 0.3
    private static let shortestPause = Duration.milliseconds(1)
    private static let longestPause = Duration.seconds(1)
    /// So often is a piece tried while its app writes.
    private static let mostTries = 100

    private var target: Duration { isQuiet ? Self.quietTime : lockTime.usual * Self.part }

    /// `hashes` tells which rows are expired; nil where nobody asked.
    func take(
        _ condition: ExpiryCondition, telling hashes: RowHashes?, path: String, in db: Database
    ) throws -> CountedRows {
        if let whole = try takeWhole(condition, telling: hashes, in: db) { return whole }
        let (kept, walk) = (try KeptRows(condition, in: db), TableWalk(condition: condition))
        var (position, rows) = (WalkPosition.start, Self.firstRows)
        var counted = CountedRows(telling: hashes)
        while true {
            try checkStop(condition, path: path)
            let begin = control.monotonic()
            let (slice, part) = try patiently {
                try db.inSnapshot {
                    let slice = try walk.slice(after: position, rows: rows, in: db)
                    try slice.end.checkIsPast(position, of: condition.bound, path: path, in: db)
                    return (slice, try CountedRows(slice, condition, kept, telling: hashes, in: db))
                }
            }
            let taken = control.monotonic() - begin
            counted.add(part)
            guard !slice.isLast else { return counted }
            position = slice.end
            let factor = taken > .zero ? min(2, max(0.25, target / taken)) : 2
            rows = min(Self.mostRows, max(1, Int(Double(rows) * factor)))
            pause(after: taken)
        }
    }

    private func pause(after taken: Duration) {
        control.pause(
            min(Self.longestPause, max(Self.shortestPause, taken * (isQuiet ? Self.quietPause : 1))))
    }

    /// All in one piece; nil where that would take longer than a piece may. By an index that finds few rows it takes no time.
    private func takeWhole(
        _ condition: ExpiryCondition, telling hashes: RowHashes?, in db: Database
    ) throws -> CountedRows? {
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
            .interrupted, operation: "count the expired rows of \(condition.bound.table.name)", place: path,
            cause: reason)
    }

    /// To begin anew for each write of the app's would never end.
    private func patiently<Result>(_ body: () throws -> Result) throws -> Result {
        for _ in 1..<Self.mostTries {
            do { return try body() } catch let error as DatabaseError where error.code & 0xFF == SQLITE_BUSY {
                control.pause(Self.shortestPause)
            }
        }
        return try body()
    }
}

/// How many rows of a task are expired and, where somebody asks, which.
struct CountedRows {
    private(set) var census = Census(expired: 0, implausible: 0)
    /// Which rows are expired; nil where nobody asked.
    private(set) var expired: RowsFingerprint?

    /// None so far.
    init(telling hashes: RowHashes?) {
        expired = hashes.map { _ in RowsFingerprint() }
    }

    /// All rows of the table.
    init(_ condition: ExpiryCondition, telling hashes: RowHashes?, in db: Database) throws {
        self.init(telling: hashes)
        census = try TableCensus(condition: condition).take(in: db).census
        if census.expired > 0 { expired = try hashes?.expired(by: condition, in: db) }
    }

    /// The rows of a slice of the table.
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
