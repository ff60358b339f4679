import FoundationEssentials
import Pruning
import Retention
import SQLite

/// The SQL of "this row is expired" and "this row's time is implausible", for one task.
///
/// Every condition is complete by itself and judges the row at the time of the statement. A row that is refreshed in
/// the middle of a run therefore survives.
struct ExpiryCondition {
    let bound: BoundRule
    let task: PruneTask
    /// The rows that a dry run treats as deleted by the rules before this one.
    private let presumed: PresumedDeletions
    /// The last time that is past: before the cutoff, and before the newest rows that the rule keeps.
    private var latest: Int64
    /// The leases of rows that were put back from the archive; nil if there are none.
    private let leases: LeaseCondition?
    /// The rows that `keep_last` keeps.
    private var newest: NewestRows?

    /// `leases` gives the leases of restored rows; nil if they do not matter.
    init(bound: BoundRule, task: PruneTask, leases: LeaseFunction?, in db: Database) throws {
        let presumed = try PresumedDeletions(before: task, leases: leases, in: db)
        try self.init(bound: bound, task: task, leases: leases, presumed: presumed, in: db)
    }

    /// Uses `presumed` instead of the task's own list of rules.
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

    /// Finds the newest rows, which the rule keeps. A row that stayed because of an earlier search still stays.
    mutating func lookForNewest(in db: Database) throws {
        guard let count = task.rule.keepLast else { return }
        let found = try NewestRows(count, self, in: db)
        latest = min(latest, (found.lastTime ?? window.plausible.lowerBound) - 1)
        newest = found
    }

    /// Whether the newest rows that were found are certain to be there still, and not past. Newer rows may have been
    /// inserted.
    func newestStand(in db: Database) throws -> Bool {
        try newest?.stand(self, in: db) ?? true
    }

    /// Whether the newest rows can be found again so quickly that the app may wait for it.
    var newestAreFoundQuickly: Bool {
        task.rule.keepLast.map { NewestRows.areFoundQuickly($0, by: bound.timeIndex) } ?? true
    }

    /// SQL that is true of rows that no lease keeps; nil if there are no leases.
    var notLeased: String? { leases?.sql(row: bound.table.name) }

    /// When the last lease that may keep a row ends.
    var leasesEnd: Date? { leases?.end }

    /// SQL for the time column.
    var column: String { bound.table.column(bound.time.name) }
    private var window: ExpiryWindow { task.window }

    /// The named parameters of the conditions, and `others`.
    func values(and others: [String: DatabaseValue] = [:]) -> [String: DatabaseValue] {
        var values = others
        values["lowest"] = .int64(window.plausible.lowerBound)
        values["highest"] = .int64(window.plausible.upperBound)
        values["latest"] = .int64(latest)
        return values
    }

    /// The row is expired. Complete by itself.
    var expired: String { ([expiredByTime, notKept].compactMap(\.self)).joined(separator: " AND ") }

    /// The row's time is past; the row is expired unless the keeper keeps it. The `+` prevents SQLite from choosing an
    /// index on time for this term. BETWEEN reads the column only once.
    var expiredByTime: String {
        let terms = ["+\(column) BETWEEN :lowest AND :latest", isIntegerOfNumber].compactMap(\.self)
        return (terms + notGone + [notLeased].compactMap(\.self)).joined(separator: " AND ")
    }

    /// True if the time, which is known to be a number above 1, is an integer: then the integer division results in 0.
    /// Nil if all times are integers.
    ///
    /// A function could test that, too. But a function may fail. To be able to undo the DELETE then, SQLite would write
    /// each page that it changes to a file (sqlite.org/tempfiles.html, "Statement Journal Files").
    private var isIntegerOfNumber: String? { bound.timeIsAlwaysInteger ? nil : "1 / \(column) = 0" }

    /// The keeper does not keep the row; nil if the rule has no keeper.
    var notKept: String? { notKept(bound.table.name) }

    /// The row's key is in the range of keys that the keeper may have, if its values are between the integers
    /// `:keeperLowest` and `:keeperHighest`. The casts make SQLite compare the key as with the keeper's column. The `+`
    /// prevents SQLite from searching by the key when an index finds the rows to be judged.
    var mayBeKept: String? {
        bound.keeper.map {
            let key = bound.table.column($0.key)
            return "+\(key) >= CAST(:keeperLowest AS INTEGER) AND +\(key) <= CAST(:keeperHighest AS INTEGER)"
        }
    }

    /// The parameters `:keeperLowest` and `:keeperHighest`.
    static func keeperLimits(_ lowest: Int64, _ highest: Int64) -> [String: DatabaseValue] {
        ["keeperLowest": .int64(lowest), "keeperHighest": .int64(highest)]
    }

    /// SQL for finding expired rows by the index on time. True of every expired row, and of some others.
    var withinWindow: [String] {
        switch bound.timeIndex {
        case .exact: ["\(column) >= :lowest", "\(column) <= :latest"]
        case .byDay(let perDay):
            ["\(column) / \(perDay) BETWEEN :lowest / \(perDay) AND :latest / \(perDay)"]
        case nil: []
        }
    }

    /// Two parts of ``withinWindow``. On the whole days every row is past, so they are counted without reading rows. On
    /// the first and the last day each row must be judged. Nil unless the index is by day and only the time decides.
    var days: (whole: String, boundary: String)? {
        guard case .byDay(let perDay) = bound.timeIndex, bound.timeIsAlwaysInteger,
            notGone.isEmpty, notLeased == nil
        else { return nil }
        let (day, first, last) = (
            "\(column) / \(perDay)", window.plausible.lowerBound / perDay, latest / perDay
        )
        return ("\(day) > \(first) AND \(day) < \(last)", "\(day) IN (\(first), \(last))")
    }

    /// Whether NULL is a valid time: in a deadline column it means that the row has no deadline.
    var nullNeverExpires: Bool {
        if case .deadline = task.rule.expiry { true } else { false }
    }

    /// The row's time cannot be a time in the rule's unit.
    var implausible: String {
        "NOT (typeof(\(column)) = 'integer' AND \(column) BETWEEN :lowest AND :highest)"
            + (nullNeverExpires ? " AND \(column) IS NOT NULL" : " OR \(column) IS NULL")
    }

    /// The same as ``implausible``, found through the index, for a column with only integers and NULL. Each implausible
    /// row satisfies exactly one of these conditions. Nil if a scan is needed.
    var implausibleByTime: [String]? {
        guard bound.timeIsAlwaysInteger, let index = bound.timeIndex else { return nil }
        let (entry, low, high) = (
            index.entry(of: column), index.entry(of: ":lowest"), index.entry(of: ":highest")
        )
        return [
            "\(entry) <= \(low) AND \(column) < :lowest", "\(entry) >= \(high) AND \(column) > :highest",
        ] + (bound.time.isNotNull || nullNeverExpires ? [] : ["\(entry) IS NULL"])
    }

    /// The row's time is a plausible number, except that it has a fraction. Such times are rare. To test all entries
    /// from the first plausible time on is cheaper than to let SQLite search for the end of the range.
    var fractional: String { "\(column) >= :lowest AND 1 / \(column) <> 0 AND +\(column) <= :highest" }

    /// The row is not past at `:cutoff` but will be later, and is not one of the newest rows that `keep_last` keeps.
    var next: [String] {
        let days: [String] =
            if case .byDay(let perDay) = bound.timeIndex {
                ["\(column) / \(perDay) BETWEEN max(:cutoff, :lowest) / \(perDay) AND :highest / \(perDay)"]
            } else { [] }
        let kept = task.rule.keepLast == nil ? nil : newest?.lastTime ?? window.plausible.lowerBound
        let times = ["\(column) BETWEEN max(:cutoff, :lowest) AND :highest", "typeof(\(column)) = 'integer'"]
        return days + times + (kept.map { ["\(column) < \($0)"] } ?? []) + notGone
    }

    /// The row's time is plausible and before `:cutoff`, whatever may keep the row.
    var beforeCutoff: [String] {
        let days: [String] =
            if case .byDay(let perDay) = bound.timeIndex {
                ["\(column) / \(perDay) BETWEEN :lowest / \(perDay) AND :cutoff / \(perDay)"]
            } else { [] }
        return days + ["\(column) BETWEEN :lowest AND :cutoff - 1", "typeof(\(column)) = 'integer'"] + notGone
    }

    /// No row of the keeper has the key of `row`, which is the name of a row of the rule's table.
    ///
    /// The keeper's row has a name of its own, because the keeper may be the rule's table itself.
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

    /// SQL terms: no rule that is presumed done deletes the keeper's row, directly or by a cascade. Empty if no such
    /// rule deletes rows of that table.
    var keeperStays: [String] {
        bound.keeper.map { notGone(keeperRow, of: $0.table.name) } ?? []
    }

    /// SQL terms: no rule that is presumed done deletes the row, directly or by a cascade.
    var notGone: [String] { notGone(bound.table.name, of: bound.table.name) }

    /// The same for `row`, which is the name of a row of `table`.
    func notGone(_ row: String, of table: String) -> [String] {
        presumed.sparing(row, of: table)
    }

    /// The row is expired, for a row with another name. The SQL contains the values instead of parameters.
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
