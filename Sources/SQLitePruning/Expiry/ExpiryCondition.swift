import FoundationEssentials
import Pruning
import Retention
import SQLite

/// The SQL of "this row is expired" and "this row's time is implausible", for one task.
///
/// Every condition is complete by itself and judges the row as it is when the statement runs, so that a row that is
/// refreshed in the middle of a run survives.
struct ExpiryCondition {
    let bound: BoundRule
    let task: PruneTask
    /// What a dry run takes for deleted by the rules before this one.
    private let presumed: PresumedDeletions
    /// The last time that is past: before the cutoff, and before the newest rows that the rule keeps.
    private var latest: Int64
    /// Of rows that were put back from the archive lately; nil where there are none.
    private let leases: LeaseCondition?
    /// The rows that `keep_last` keeps.
    private var newest: NewestRows?

    /// `leases`: what was put back into the database and stays; nil where that does not matter.
    init(bound: BoundRule, task: PruneTask, leases: LeaseFunction?, in db: Database) throws {
        let presumed = try PresumedDeletions(before: task, leases: leases, in: db)
        try self.init(bound: bound, task: task, leases: leases, presumed: presumed, in: db)
    }

    /// What `presumed` has stands for what the task's own list of rules says.
    init(
        bound: BoundRule, task: PruneTask, leases: LeaseFunction?, presumed: PresumedDeletions,
        in db: Database
    ) throws {
        self.bound = bound
        self.task = task
        self.presumed = presumed
        self.leases = try leases?.condition(on: bound, at: task.start, in: db)
        latest = max(task.window.cutoff, task.window.plausible.lowerBound) - 1
        try lookForNewest(in: db)
    }

    /// Finds the newest rows, which the rule keeps. A row that stays by what was found before still does.
    mutating func lookForNewest(in db: Database) throws {
        guard let count = task.rule.keepLast else { return }
        let found = try NewestRows(count, self, in: db)
        latest = min(latest, (found.lastTime ?? window.plausible.lowerBound) - 1)
        newest = found
    }

    /// Whether the newest rows that were found are for certain the newest ones still, or newer ones have come.
    func newestStand(in db: Database) throws -> Bool {
        try newest?.stand(self, in: db) ?? true
    }

    /// Whether they are found anew while the app waits for no more than a moment.
    var newestAreFoundQuickly: Bool {
        task.rule.keepLast.map { NewestRows.areFoundQuickly($0, by: bound.timeIndex) } ?? true
    }

    /// SQL that is true of rows that no lease keeps; nil where none keeps any.
    var notLeased: String? { leases?.sql(row: bound.table.name) }

    /// When the last lease ends that may keep a row.
    var leasesEnd: Date? { leases?.end }

    /// SQL for the time column.
    var column: String { bound.table.column(bound.time.name) }
    private var window: ExpiryWindow { task.window }

    /// The condition's values, which stand in it by name, and `others`.
    func values(and others: [String: DatabaseValue] = [:]) -> [String: DatabaseValue] {
        var values = others
        values["lowest"] = .int64(window.plausible.lowerBound)
        values["highest"] = .int64(window.plausible.upperBound)
        values["latest"] = .int64(latest)
        return values
    }

    /// The row is expired. Complete in itself.
    var expired: String { ([expiredByTime, notKept].compactMap(\.self)).joined(separator: " AND ") }

    /// The row's time is past; it is expired unless its rule's keeper keeps it. The `+` keeps SQLite from choosing an
    /// index on time for its sake; BETWEEN reads the column once.
    var expiredByTime: String {
        let terms = ["+\(column) BETWEEN :lowest AND :latest", isIntegerOfNumber].compactMap(\.self)
        return (terms + notGone + [notLeased].compactMap(\.self)).joined(separator: " AND ")
    }

    /// The time is an integer, of one that is known to be a number above 1; nil where all are.
    ///
    /// A function could tell, too. But a function may fail, and for the sake of what a DELETE would have to undo then, SQLite
    /// writes each page that it changes to a file (sqlite.org/tempfiles.html, "Statement Journal Files").
    private var isIntegerOfNumber: String? { bound.timeIsAlwaysInteger ? nil : "1 / \(column) = 0" }

    /// The keeper does not keep the row; nil when the rule has none.
    var notKept: String? { notKept(bound.table.name) }

    /// The row's key is among those that a keeper may hold whose values are between two integers: `:keeperLowest` and
    /// `:keeperHighest`. They are cast, so that the key is compared with them as it is with the keeper's column; the `+`
    /// keeps SQLite from finding the rows by their keys, where others are to be judged that an index finds.
    var mayBeKept: String? {
        bound.keeper.map {
            let key = bound.table.column($0.key)
            return "+\(key) >= CAST(:keeperLowest AS INTEGER) AND +\(key) <= CAST(:keeperHighest AS INTEGER)"
        }
    }

    /// The values of `:keeperLowest` and `:keeperHighest`.
    static func keeperLimits(_ lowest: Int64, _ highest: Int64) -> [String: DatabaseValue] {
        ["keeperLowest": .int64(lowest), "keeperHighest": .int64(highest)]
    }

    /// How the index on time finds expired rows: true of every expired row, and of some others.
    var withinWindow: [String] {
        switch bound.timeIndex {
        case .exact: ["\(column) >= :lowest", "\(column) <= :latest"]
        case .byDay(let perDay):
            ["\(column) / \(perDay) BETWEEN :lowest / \(perDay) AND :latest / \(perDay)"]
        case nil: []
        }
    }

    /// Two parts of ``withinWindow``: the days of which each row is past, which are counted without reading a row, and the first
    /// and the last day, of which each row has to be judged. Nil unless the index is by day, and no more than the time decides.
    var days: (whole: String, boundary: String)? {
        guard case .byDay(let perDay) = bound.timeIndex, bound.timeIsAlwaysInteger,
            notGone.isEmpty, notLeased == nil
        else { return nil }
        let (day, first, last) = (
            "\(column) / \(perDay)", window.plausible.lowerBound / perDay, latest / perDay
        )
        return ("\(day) > \(first) AND \(day) < \(last)", "\(day) IN (\(first), \(last))")
    }

    /// Whether a row without a time is as it should be: where one has a deadline, it has none.
    var nullNeverExpires: Bool {
        if case .deadline = task.rule.expiry { true } else { false }
    }

    /// The row's time cannot be a time in the rule's unit.
    var implausible: String {
        "NOT (typeof(\(column)) = 'integer' AND \(column) BETWEEN :lowest AND :highest)"
            + (nullNeverExpires ? " AND \(column) IS NOT NULL" : " OR \(column) IS NULL")
    }

    /// The same, found through the index, for a column that holds nothing but integers and NULL: each row that is
    /// implausible is so in one of these ways. Nil where a scan is needed.
    var implausibleByTime: [String]? {
        guard bound.timeIsAlwaysInteger, let index = bound.timeIndex else { return nil }
        let (entry, low, high) = (
            index.entry(of: column), index.entry(of: ":lowest"), index.entry(of: ":highest")
        )
        return [
            "\(entry) <= \(low) AND \(column) < :lowest", "\(entry) >= \(high) AND \(column) > :highest",
        ] + (bound.time.isNotNull || nullNeverExpires ? [] : ["\(entry) IS NULL"])
    }

    /// The row's time is a number that could be a time, but for its fraction. Nearly all times are none: it costs less to
    /// compare all that an index has from the first time on than to have SQLite look for where they end.
    var fractional: String { "\(column) >= :lowest AND 1 / \(column) <> 0 AND +\(column) <= :highest" }

    /// The row is not past at `:cutoff`, but will be one day: neither the cutoff nor `keep_last` keeps it for ever.
    var next: [String] {
        let days: [String] =
            if case .byDay(let perDay) = bound.timeIndex {
                ["\(column) / \(perDay) BETWEEN max(:cutoff, :lowest) / \(perDay) AND :highest / \(perDay)"]
            } else { [] }
        let kept = task.rule.keepLast == nil ? nil : newest?.lastTime ?? window.plausible.lowerBound
        let times = ["\(column) BETWEEN max(:cutoff, :lowest) AND :highest", "typeof(\(column)) = 'integer'"]
        return days + times + (kept.map { ["\(column) < \($0)"] } ?? []) + notGone
    }

    /// The row's time can be one in the rule's unit and is before `:cutoff`, whatever keeps the row.
    var beforeCutoff: [String] {
        let days: [String] =
            if case .byDay(let perDay) = bound.timeIndex {
                ["\(column) / \(perDay) BETWEEN :lowest / \(perDay) AND :cutoff / \(perDay)"]
            } else { [] }
        return days + ["\(column) BETWEEN :lowest AND :cutoff - 1", "typeof(\(column)) = 'integer'"] + notGone
    }

    /// No row of the keeper has the key of `row`, which names a row of the rule's table.
    ///
    /// The keeper goes by a name of its own, for it may be the rule's table itself.
    private func notKept(_ row: String) -> String? {
        guard let keeper = bound.keeper else { return nil }
        let other = row + " keeper"
        let stays = notGone(other, of: keeper.table.name)
        return keeper.searches.map { search in
            let terms = [keeper.isFound(other, for: row, search)] + stays
            return
                "NOT EXISTS (SELECT 1 FROM \(keeper.rows(other, search)) WHERE \(terms.joined(separator: " AND ")))"
        }.joined(separator: " AND ")
    }

    /// The name of the keeper's row.
    var keeperRow: String { bound.table.name + " keeper" }

    /// No rule that is presumed done deletes the keeper's row, or one that it goes with; empty when none deletes any.
    var keeperStays: [String] {
        bound.keeper.map { notGone(keeperRow, of: $0.table.name) } ?? []
    }

    /// No rule that is presumed done deletes the row, or one that it goes with.
    var notGone: [String] { notGone(bound.table.name, of: bound.table.name) }

    /// No rule that is presumed done deletes `row`, which names a row of `table`.
    func notGone(_ row: String, of table: String) -> [String] {
        presumed.sparing(row, of: table)
    }

    /// Expired, with the values in place, for a row that goes by another name.
    func expired(_ row: String) -> String {
        let time = row.quotedIdentifier + "." + bound.time.name.quotedIdentifier
        let terms = [
            "typeof(\(time)) = 'integer'", "\(time) >= \(window.plausible.lowerBound)",
            "\(time) <= \(latest)", notKept(row),
            leases?.sql(row: row),
        ]
        return terms.compactMap(\.self).joined(separator: " AND ")
    }
}
