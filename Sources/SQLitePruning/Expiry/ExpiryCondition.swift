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
    private var latest: ColumnTime
    /// The leases of rows that were put back from the archive; nil if there are none.
    private let leases: LeaseCondition?
    /// The rows that `keep_last` keeps.
    private var newest: NewestRows?
    /// The rows that `keep_last` keeps of each group; nil if the rule has no groups.
    private var groups: GroupThresholds?
    /// Whether others may have written since the groups were looked at.
    var groupsMayHaveChanged = false

    /// `leases` gives the leases of restored rows; nil if they do not matter. Without `groups`, the newest rows of
    /// groups are not looked for, which takes long, and the condition is also true of them.
    init(
        bound: BoundRule, task: PruneTask, leases: LeaseFunction?, groups: Bool = true, in db: Database
    ) throws {
        let presumed = try PresumedDeletions(before: task, leases: leases, in: db)
        try self.init(
            bound: bound, task: task, leases: leases, groups: groups, presumed: presumed, in: db)
    }

    /// Uses `presumed` instead of the task's own list of rules.
    init(
        bound: BoundRule, task: PruneTask, leases: LeaseFunction?, groups looksForGroups: Bool = true,
        presumed: PresumedDeletions, in db: Database
    ) throws {
        self.bound = bound
        self.task = task
        self.presumed = presumed
        self.leases = try leases?.condition(on: bound, at: task.start, in: db)
        latest =
            ColumnTime(max(task.window.cutoff, task.window.plausible.lowerBound), task.rule.time).predecessor
        if !bound.groups.isEmpty {
            guard looksForGroups else { return }
            groups = try GroupThresholds(of: self, in: db)
        }
        try lookForNewest(in: db)
    }

    /// Finds the newest rows, which the rule keeps. A row that stayed because of an earlier search still stays.
    mutating func lookForNewest(in db: Database) throws {
        guard let count = task.rule.keepLast else { return }
        if let groups {
            groupsMayHaveChanged = false
            return try groups.find(values(), in: db)
        }
        let found = try NewestRows(count, self, in: db)
        latest = min(latest, (found.lastTime ?? lowest).predecessor)
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

    /// Whether the newest rows are those of groups, and an index judges each row anew.
    var groupsAreIndexed: Bool { groups?.isIndexed ?? false }
    var hasGroups: Bool { groups != nil }

    /// Whether the newest rows of all groups can be found again, without an index, while the app waits.
    func groupsAreFoundQuickly(in db: Database) throws -> Bool {
        let few =
            "SELECT count(*) FROM (SELECT 1 FROM \(bound.table.name.quotedIdentifier) LIMIT \(Self.fewRows + 1))"
        return try db.value(few).integer <= Self.fewRows
    }

    /// Sorted in about two milliseconds.
    private static let fewRows: Int64 = 2_000

    /// SQL that is true of rows that no lease keeps; nil if there are no leases.
    var notLeased: String? { leases?.sql(row: bound.table.name) }

    /// SQL that is true of a row before the cutoff that is among the newest; nil if the rule keeps none of them.
    ///
    /// With `keep_last`, `:latest` is the last time before those of the newest rows.
    var isNewest: String? {
        if let groups { return "(\(groups.isOlder(bound.table.name))) IS NOT 1" }
        return task.rule.keepLast.map { _ in "\(column) > :latest" }
    }

    /// When the last lease that may keep a row ends.
    var leasesEnd: Date? { leases?.end }

    /// SQL for the row's time as a number; NULL for a rule without a time.
    var column: String { bound.time?.sql(of: bound.table.name) ?? "NULL" }
    /// SQL for the row's time as an integer, rounded down.
    var wholeTime: String { bound.time?.whole(of: bound.table.name) ?? "NULL" }
    /// SQL that is true if the row's time is a number of the kind that the column may have.
    var isNumber: String { bound.time?.isNumber(bound.table.name) ?? "0" }
    private var window: ExpiryWindow { task.window }
    private var format: TimeFormat { task.rule.time }
    private var lowest: ColumnTime { ColumnTime(window.plausible.lowerBound, format) }
    private var highest: ColumnTime { ColumnTime(window.plausible.upperBound, format) }

    /// The last time that is not ahead of the run's start. Rows with a later time are not the newest.
    var present: ColumnTime {
        let future = format.value(ofSecond: Int64(task.future.timeIntervalSince1970))
        return min(highest, ColumnTime(future, format).predecessor)
    }

    /// The named parameters of the conditions, and `others`.
    func values(and others: [String: DatabaseValue] = [:]) -> [String: DatabaseValue] {
        var values = others
        values["lowest"] = lowest.bound
        values["highest"] = highest.bound
        values["latest"] = latest.bound
        values["present"] = present.bound
        return values
    }

    /// The row is expired. Complete by itself.
    var expired: String { ([expiredUnlessKept, notKept].compactMap(\.self)).joined(separator: " AND ") }

    /// The row is expired unless a keeper keeps it. The `+` prevents SQLite from choosing an index on time for this
    /// term. BETWEEN reads the column only once.
    var expiredUnlessKept: String { (byTime + byRow).joined(separator: " AND ") }

    /// The part of ``expiredUnlessKept`` that is decided by the row's time. Never empty.
    var byTime: [String] {
        let time =
            bound.time.map { _ in ["+\(column) BETWEEN :lowest AND :latest", isIntegerOfNumber] } ?? []
        return (time.compactMap(\.self) + hasKey(bound.table.name) + notGone).orTrue
    }

    /// For orphans: the row has a key. Without one no keeper could refer to it, which says nothing about the row.
    private func hasKey(_ row: String) -> [String] {
        guard bound.time == nil, let key = bound.keepers.first?.key else { return [] }
        return ["\(row.quotedIdentifier).\(key.quotedIdentifier) IS NOT NULL"]
    }

    /// The rest of ``expiredUnlessKept``.
    var byRow: [String] {
        let older = [groups?.isOlder(bound.table.name), groupsMayHaveChanged ? groups?.isOlderNow : nil]
        return bound.expressions.terms + (older + [notLeased]).compactMap(\.self)
    }

    /// Whether the row's time alone decides, apart from keepers, whether it is expired.
    var onlyTimeDecides: Bool { notGone.isEmpty && notLeased == nil && !judgesRows }
    /// Whether more than time and keepers decides of a row.
    var judgesRows: Bool { !bound.expressions.terms.isEmpty || groups != nil }

    /// True if the time, which is known to be a number above 1, is an integer: then the integer division results in 0.
    /// Nil if all times are integers.
    ///
    /// A function could test that, too. But a function may fail. To be able to undo the DELETE then, SQLite would write
    /// each page that it changes to a file (sqlite.org/tempfiles.html, "Statement Journal Files").
    private var isIntegerOfNumber: String? {
        format.unit.storage == .integer && !bound.timeIsAlwaysInteger ? "1 / \(column) = 0" : nil
    }

    /// No keeper keeps the row; nil if the rule has no keeper.
    var notKept: String? { notKept(bound.table.name) }

    /// The row's key is in the range of keys that the keeper may have, if its values are between the integers
    /// `:keeperLowest` and `:keeperHighest`. The casts make SQLite compare the key as with the keeper's column. The `+`
    /// prevents SQLite from searching by the key when an index finds the rows to be judged.
    var mayBeKept: String? {
        bound.keepers.first.map {
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
        guard case .byDay(let perDay) = bound.timeIndex, bound.timeIsAlwaysInteger, onlyTimeDecides,
            case .integer(let latest) = latest
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
        guard bound.time != nil else { return "0" }
        return "NOT (\(isNumber) AND \(column) BETWEEN :lowest AND :highest)"
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
        ] + (bound.time?.column.isNotNull ?? true || nullNeverExpires ? [] : ["\(entry) IS NULL"])
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
        let kept = task.rule.keepLast == nil || groups != nil ? nil : newest?.lastTime ?? lowest
        let times = ["\(column) BETWEEN max(:cutoff, :lowest) AND :highest", isNumber]
        return days + times + (kept.map { ["\(column) < \($0.literal)"] } ?? []) + notGone
            + bound.expressions.terms
    }

    /// The row's time is plausible and before `:cutoff`, whatever may keep the row.
    var beforeCutoff: [String] {
        let days: [String] =
            if case .byDay(let perDay) = bound.timeIndex {
                ["\(column) / \(perDay) BETWEEN :lowest / \(perDay) AND :cutoff / \(perDay)"]
            } else { [] }
        guard bound.time != nil else { return notGone.orTrue }
        return days + ["\(column) >= :lowest", "\(column) < :cutoff", isNumber] + notGone
    }

    /// No row of a keeper has the key of `row`, which is the name of a row of the rule's table.
    ///
    /// The keeper's row has a name of its own, because the keeper may be the rule's table itself.
    private func notKept(_ row: String) -> String? {
        let terms = bound.keepers.map { notKept(row, by: $0) }
        return terms.isEmpty ? nil : terms.joined(separator: " AND ")
    }

    /// This keeper does not keep the row of the rule's table.
    func notKept(by keeper: Keeper) -> String { notKept(bound.table.name, by: keeper) }

    private func notKept(_ row: String, by keeper: Keeper) -> String {
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

    /// SQL terms: no rule that is presumed done deletes the row of this keeper, directly or by a cascade. Empty if no
    /// such rule deletes rows of that table.
    func stays(_ keeper: Keeper) -> [String] { notGone(keeperRow, of: keeper.table.name) }

    /// SQL terms of a row that counts: no rule that is presumed done deletes it, directly or by a cascade, and it does
    /// not have the rule's mark.
    var notGone: [String] {
        notGone(bound.table.name, of: bound.table.name) + isNotDone(bound.table.name)
    }

    private func isNotDone(_ row: String) -> [String] {
        bound.mark.map { ["NOT (\($0.isSet(row)))"] } ?? []
    }

    /// The same for `row`, which is the name of a row of `table`.
    func notGone(_ row: String, of table: String) -> [String] {
        presumed.sparing(row, of: table)
    }

    /// The row is expired, for a row with another name. The SQL contains the values instead of parameters.
    func expired(_ row: String) -> String {
        var terms: [String] = []
        if let time = bound.time {
            let value = time.sql(of: row)
            terms = [time.isNumber(row), "\(value) >= \(lowest.literal)", "\(value) <= \(latest.literal)"]
        }
        terms += hasKey(row) + isNotDone(row)
        terms += [expressions(row), groups?.isOlder(row), notKept(row), leases?.sql(row: row)].compactMap(
            \.self)
        return terms.orTrue.joined(separator: " AND ")
    }

    /// The rule's expressions allow that the row expires; nil if there are none. They need the table under its own name.
    private func expressions(_ row: String) -> String? {
        let (terms, table) = (bound.expressions.terms, bound.table)
        guard !terms.isEmpty, row.comparedName != table.name.comparedName else {
            return terms.isEmpty ? nil : terms.joined(separator: " AND ")
        }
        let isRow = table.key.map { "\(table.column($0)) IS \(row.quotedIdentifier).\($0.quotedIdentifier)" }
        return """
            EXISTS (SELECT 1 FROM \(table.name.quotedIdentifier) \
            WHERE \((isRow + terms).joined(separator: " AND ")))
            """
    }
}

extension [String] {
    /// The terms, or a term that is true if there are none.
    var orTrue: [String] { isEmpty ? ["1"] : self }
}
