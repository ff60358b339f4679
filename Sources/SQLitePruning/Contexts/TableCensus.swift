import Pruning

/// Counts a task's rows, reading no more of the table than the question needs.
struct TableCensus {
    let condition: ExpiryCondition

    /// Rows whose time is past, and those of them that a question is true of.
    private struct Tally {
        var past: Int64
        var chosen: Int64
    }

    /// SQL that is true of some rows, and its values.
    private typealias Question = (sql: String, values: [String: DatabaseValue])

    private var table: String { condition.bound.table.name.quotedIdentifier }

    /// Counts. `keepsNone`: no row whose time is past is kept.
    func take(in db: Database) throws -> (census: Census, keepsNone: Bool) {
        // Where the keeper will have lost rows, those that stay are looked for once it is known for how many rows.
        let reach = condition.keeperStays.isEmpty ? try KeeperReach(of: condition.bound, in: db) : nil
        let mayBeKept = reach.map(mayBeKept) ?? ("0", [:])
        let implausible: Int64
        let tally: Tally
        if try isCountedByIndex(in: db), let counted = try countImplausibleByIndex(in: db) {
            implausible = counted
            tally = try tallyByIndex(mayBeKept, in: db)
        } else if condition.bound.keeper == nil, let later = condition.plausibleByTime {
            tally = try tallyByIndex(mayBeKept, in: db)
            implausible = try count(nil, in: db) - tally.past - count(later, in: db)
        } else {
            (tally, implausible) = try tallyByScan(mayBeKept, in: db)
        }
        let kept =
            if let reach {
                tally.chosen > 0 ? try countKept(within: reach, in: db) : 0
            } else {
                try countKept(ofPast: tally.past, in: db)
            }
        return (Census(expired: tally.past - kept, implausible: implausible), kept == 0)
    }

    /// How many of the rows whose time is past, which are `past`, the keeper keeps.
    func countKept(ofPast past: Int64, in db: Database) throws -> Int64 {
        guard past > 0 else { return 0 }
        return try countKept(
            within: KeeperReach(ofRowsThatStay: condition, visitingAtMost: past, in: db), in: db)
    }

    private func countKept(within reach: KeeperReach, in db: Database) throws -> Int64 {
        guard reach != .none, let notKept = condition.notKept else { return 0 }
        var question = mayBeKept(reach)
        question.sql += " AND NOT (\(notKept))"
        return try isCountedByIndex(in: db)
            ? tallyByIndex(question, in: db).chosen : tallyByScan(question, in: db).tally.chosen
    }

    /// Whether a row's key is among those that the keeper may hold.
    private func mayBeKept(_ reach: KeeperReach) -> Question {
        switch reach {
        case .none: ("0", [:])
        case .between(let lowest, let highest):
            (condition.mayBeKept ?? "0", ExpiryCondition.keeperLimits(lowest, highest))
        case .any: ("1", [:])
        }
    }

    /// How many rows have a time that cannot be one; nil where no index tells.
    func countImplausibleByIndex(in db: Database) throws -> Int64? {
        try condition.implausibleByTime?.reduce(0) { try $0 + count($1, in: db) }
    }

    /// Whether any row's time is past; through the index where there is one.
    func findsPast(in db: Database) throws -> Bool {
        let past = (condition.withinWindow + [condition.expiredByTime]).joined(separator: " AND ")
        return try db.row("SELECT 1 FROM \(table) WHERE \(past) LIMIT 1", condition.values()) != nil
    }

    /// An index that does not hold all that is asked about sends SQLite to the row for each entry, which is dearer than
    /// a scan once there are many.
    private func isCountedByIndex(in db: Database) throws -> Bool {
        guard condition.implausibleByTime != nil else { return false }
        let window = condition.withinWindow.joined(separator: " AND ")
        let steps = try db.queryPlan(
            of: "SELECT count(*) FROM \(table) WHERE \(window)", condition.values())
        let isCovering = steps.contains { $0.contains("COVERING INDEX") }
        // A row with a rowid is read only if it has to be judged.
        if isCovering || !condition.bound.table.isWithoutRowID { return true }
        let few = "SELECT count(*) FROM (SELECT 1 FROM \(table) WHERE \(window) LIMIT \(Self.few + 1))"
        return try db.value(few, condition.values()).integer <= Self.few
    }

    /// As many rows are looked up in a few hundredths of a second.
    private static let few: Int64 = 20_000

    private func tallyByIndex(_ question: Question, in db: Database) throws -> Tally {
        let past = condition.expiredByTime
        guard let days = condition.days else {
            let window = " WHERE " + condition.withinWindow.joined(separator: " AND ")
            return try tally(past, question, from: window, in: db).tally
        }
        let whole = try tally(nil, question, from: " WHERE " + days.past, in: db).tally
        let boundary = try tally(past, question, from: " WHERE " + days.boundary, in: db).tally
        return Tally(past: whole.past + boundary.past, chosen: whole.chosen + boundary.chosen)
    }

    private func tallyByScan(
        _ question: Question, in db: Database
    ) throws -> (tally: Tally, implausible: Int64) {
        try tally(condition.expiredByTime, question, implausible: condition.implausible, in: db)
    }

    /// One pass over the rows of `place`: those that `past` holds of (nil: all), and those that `implausible` holds of.
    private func tally(
        _ past: String?, _ question: Question, implausible: String = "0", from place: String = "",
        in db: Database
    ) throws -> (tally: Tally, implausible: Int64) {
        let row = try db.row(
            """
            SELECT count(*) FILTER (WHERE \(past ?? "1")), count(*) FILTER (WHERE \(past ?? "1") AND \(question.sql)),
                   count(*) FILTER (WHERE \(implausible))
            FROM \(table)\(place)
            """, condition.values(and: question.values))
        let counts = row?.map(\.integer) ?? [0, 0, 0]
        return (Tally(past: counts[0], chosen: counts[1]), counts[2])
    }

    private func count(_ terms: String?, in db: Database) throws -> Int64 {
        let rows = "FROM \(table)\(terms.map { " WHERE " + $0 } ?? "")"
        return try db.value("SELECT count(*) \(rows)", condition.values()).integer
    }
}
