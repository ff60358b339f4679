import FoundationEssentials
import Pruning
import Retention
import RuleEngine
import SQLite

/// The SQL of "this row is expired" and "this row's time is implausible", for one task.
///
/// Every condition is complete by itself and judges the row at the time of the statement. A row that is refreshed in
/// the middle of a run therefore survives.
struct ExpiryCondition {
    let bound: BoundRule
    let task: PruneTask
    /// What a dry run presumes that the rules before this one have done.
    let earlier: EarlierRules
    /// The last time that is past: before the cutoff, and before the newest rows that the rule keeps.
    private(set) var latest: ColumnTime
    /// The leases of rows that were put back from the archive; nil if there are none.
    private let leases: LeaseCondition?
    /// The rows that `keep_last` keeps.
    private(set) var newest: NewestRows?
    /// The rows that `keep_last` keeps of each group; nil if the rule has no groups.
    private(set) var groups: GroupThresholds?
    /// Whether others may have written since the groups were looked at.
    var groupsMayHaveChanged = false
    /// Whether a row must wait for those of the table that refer to it, as in each batch. Else all rows count that go one
    /// after another. Where such rows may go in one statement, ``notReferredTo(fromOutside:)`` has to be asked, too.
    var goesChildrenFirst = false

    /// `leases` gives the leases of restored rows; nil if they do not matter. Without `groups`, the newest rows of
    /// groups are not looked for, which takes long, and the condition is also true of them.
    init(
        bound: BoundRule, task: PruneTask, leases: LeaseFunction?, groups: Bool = true, in db: Database
    ) throws {
        let earlier = try EarlierRules(before: task, on: bound.table, leases: leases, in: db)
        try self.init(
            bound: bound, task: task, leases: leases, groups: groups, earlier: earlier, in: db)
    }

    /// Uses `earlier` instead of the task's own list of rules.
    init(
        bound: BoundRule, task: PruneTask, leases: LeaseFunction?, groups looksForGroups: Bool = true,
        earlier: EarlierRules, in db: Database
    ) throws {
        self.bound = try bound.reading(earlier, before: task, in: db)
        self.task = task
        self.earlier = earlier
        self.leases = try leases?.condition(on: bound, at: task.start, in: db)
        latest =
            ColumnTime(max(task.window.cutoff, task.window.plausible.lowerBound), task.rule.time).predecessor
        guard looksForGroups || bound.groups.isEmpty else { return }
        try lookForNewest(in: db)
    }

    /// Finds the newest rows, which the rule keeps. A row that stayed because of an earlier search still stays. The rows
    /// of groups are read by `reading` if there is one.
    mutating func lookForNewest(reading: SlicedReading? = nil, in db: Database) throws {
        guard let count = task.rule.keepLast else { return }
        if !bound.groups.isEmpty {
            groupsMayHaveChanged = false
            if groups == nil { groups = try GroupThresholds(of: self, in: db) }
            try groups?.find(values(), reading: reading, in: db)
            return
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
    var hasGroups: Bool { !bound.groups.isEmpty }

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

    /// SQL that is true of a row before the cutoff that is older than the newest; nil if the rule keeps none of these.
    ///
    /// With `keep_last`, `:latest` is the last time before those of the newest rows.
    var isOlder: String? {
        if let groups { return "(\(groups.isOlder(bound.table.name))) IS TRUE" }
        return task.rule.keepLast.map { _ in "\(column) <= :latest" }
    }

    /// When the last lease that may keep a row ends.
    var leasesEnd: Date? { leases?.end }

    /// SQL for the row's time as a number; NULL for a rule without a time.
    var column: String { bound.time?.sql(of: bound.table.name) ?? "NULL" }
    /// SQL for the row's time as an integer, rounded down.
    var wholeTime: String { bound.time?.whole(of: bound.table.name) ?? "NULL" }
    /// SQL that is true if the row's time is a number of the kind that the column may have.
    var isNumber: String { bound.time?.isNumber(bound.table.name) ?? "0" }
    var window: ExpiryWindow { task.window }
    var format: TimeFormat { task.rule.time }
    var lowest: ColumnTime { ColumnTime(window.plausible.lowerBound, format) }
    var highest: ColumnTime { ColumnTime(window.plausible.upperBound, format) }

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
        values["cutoff"] = ColumnTime(window.cutoff, format).bound
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

    /// For orphans: the row has a key. Nil if each row has one.
    var hasKey: String? { bound.table.mayLackKey ? hasKey(bound.table.name).first : nil }

    /// For orphans: the row has a key. Without one no keeper could refer to it, which says nothing about the row.
    private func hasKey(_ row: String) -> [String] {
        guard bound.time == nil, let key = bound.keepers.first?.key else { return [] }
        return ["\(row.quotedIdentifier).\(key.quotedIdentifier) IS NOT NULL"]
    }

    /// The rest of ``expiredUnlessKept``.
    var byRow: [String] {
        let older = [groups?.isOlder(bound.table.name), groupsMayHaveChanged ? groups?.standsNow : nil]
        let free = goesChildrenFirst ? notReferredToNow : notReferredTo(bound.table.name)
        return terms + (older + [notLeased, free]).compactMap(\.self)
    }

    /// The rule's conditions allow that the row expires. They need the table under its own name.
    var terms: [String] { bound.conditions.terms.map(afterMarks) }

    /// `term`, SQL that is never NULL, of the values that a row of the rule's table has after the earlier rules.
    func afterMarks(_ term: String) -> String { earlier.afterMarks(term, of: bound.table) }

    /// Whether the row's time alone decides, apart from keepers, whether it is expired.
    var onlyTimeDecides: Bool { notGone.isEmpty && notLeased == nil && !judgesRows }
    /// Whether more than time and keepers decides of a row.
    var judgesRows: Bool {
        !bound.conditions.terms.isEmpty || groups != nil || !bound.ownKeys.isEmpty
    }

    /// True if the time, which is known to be a number above 1, is an integer: then the integer division results in 0.
    /// Nil if all times are integers.
    ///
    /// A function could test that, too. But a function may fail. To be able to undo the DELETE then, SQLite would write
    /// each page that it changes to a file (sqlite.org/tempfiles.html, "Statement Journal Files").
    private var isIntegerOfNumber: String? {
        format.unit.storage == .integer && !bound.timeIsAlwaysInteger ? "1 / \(column) = 0" : nil
    }

    /// SQL terms of a row that counts: no rule that is presumed done deletes it, directly or by a cascade, and it does
    /// not have the rule's mark, nor gets it from such a rule.
    var notGone: [String] {
        let isNotDone = bound.mark.map { afterMarks("NOT (\($0.isSet(bound.table.name)))") }
        return notGone(bound.table.name, of: bound.table.name) + [isNotDone].compactMap(\.self)
    }

    /// SQL terms: no rule that is presumed done deletes `row`, which is the name of a row of `table`.
    func notGone(_ row: String, of table: String) -> [String] {
        earlier.sparing(row, of: table)
    }

    /// The row is expired, for a row with another name and a rule that deletes. On one table such a rule runs before
    /// those that mark. The SQL contains the values instead of parameters.
    func expired(_ row: String) -> String {
        ([ageAndTerms(row), notReferredTo(row)].compactMap(\.self)).joined(separator: " AND ")
    }

    /// The same without the rule that children go first.
    func ageAndTerms(_ row: String) -> String {
        var terms: [String] = []
        if let time = bound.time {
            let value = time.sql(of: row)
            terms = [time.isNumber(row), "\(value) >= \(lowest.literal)", "\(value) <= \(latest.literal)"]
        }
        terms += hasKey(row)
        terms += [conditions(row), groups?.isOlder(row), notKept(row), leases?.sql(row: row)].compactMap(
            \.self)
        return terms.orTrue.joined(separator: " AND ")
    }

    /// The rule's conditions allow that the row expires; nil if there are none. They need the table under its own name.
    private func conditions(_ row: String) -> String? {
        let (terms, table) = (bound.conditions.terms, bound.table)
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

extension BoundRule {
    /// The same rule, whose conditions read tables as the earlier rules leave them.
    fileprivate func reading(
        _ earlier: EarlierRules, before task: PruneTask, in db: Database
    ) throws -> BoundRule {
        let left = try others.compactMap { table in
            try earlier.left(of: table, before: task, in: db).map { (TableName(table.name), $0) }
        }
        guard !left.isEmpty else { return self }
        var rule = self
        rule.conditions = conditions.reading(
            { table in left.first { $0.0 == TableName(table.name) }?.1 ?? table.sql }, in: SQLiteConditions())
        return rule
    }
}
