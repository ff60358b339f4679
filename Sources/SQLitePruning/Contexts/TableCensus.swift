import Pruning

/// Counts a task's rows, reading no more of the table than the question needs.
struct TableCensus {
    let condition: ExpiryCondition

    /// Rows whose time is past, and those of them whose key the keeper may hold.
    private struct Tally {
        var past: Int64
        var mayBeKept: Int64
    }

    private var table: String { condition.bound.table.name.quotedIdentifier }

    /// Counts. `keepsNone`: no row whose time is past is kept.
    func take(in db: Database) throws -> (census: Census, keepsNone: Bool) {
        let reach = try KeeperReach(of: condition.bound, in: db)
        let hasIndex = try isCountedByIndex(in: db)
        let implausible: Int64
        let tally: Tally
        if hasIndex, let outside = condition.implausibleByTime {
            implausible = try count(outside, in: db)
            tally = try tallyByIndex(reach, in: db)
        } else if condition.bound.keeper == nil, let later = condition.plausibleByTime {
            tally = try tallyByIndex(reach, in: db)
            implausible = try count(nil, in: db) - tally.past - count(later, in: db)
        } else {
            (tally, implausible) = try tallyByScan(reach, in: db)
        }
        var kept: Int64 = 0
        if tally.mayBeKept > 0, let notKept = condition.notKept {
            let past =
                (hasIndex ? condition.withinWindow : []) + [condition.expiredByTime, "NOT (\(notKept))"]
            kept = try count(past.joined(separator: " AND "), in: db)
        }
        return (Census(expired: tally.past - kept, implausible: implausible), kept == 0)
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

    private func tallyByIndex(_ reach: KeeperReach, in db: Database) throws -> Tally {
        let past = condition.expiredByTime
        guard let days = condition.days else {
            return try tally(
                past, reach, from: " WHERE " + condition.withinWindow.joined(separator: " AND "), in: db
            )
            .tally
        }
        let whole = try tally(nil, reach, from: " WHERE " + days.past, in: db).tally
        let boundary = try tally(past, reach, from: " WHERE " + days.boundary, in: db).tally
        return Tally(past: whole.past + boundary.past, mayBeKept: whole.mayBeKept + boundary.mayBeKept)
    }

    private func tallyByScan(
        _ reach: KeeperReach, in db: Database
    ) throws -> (tally: Tally, implausible: Int64) {
        try tally(condition.expiredByTime, reach, implausible: condition.implausible, in: db)
    }

    /// One pass over the rows of `place`: those that `past` holds of (nil: all), and those that `implausible` holds of.
    private func tally(
        _ past: String?, _ reach: KeeperReach, implausible: String = "0", from place: String = "",
        in db: Database
    ) throws -> (tally: Tally, implausible: Int64) {
        let (mayBeKept, values): (String, [String: DatabaseValue]) =
            switch reach {
            case .none: ("0", [:])
            case .between(let lowest, let highest):
                (condition.mayBeKept ?? "0", ExpiryCondition.keeperLimits(lowest, highest))
            case .any: ("1", [:])
            }
        let row = try db.row(
            """
            SELECT count(*) FILTER (WHERE \(past ?? "1")), count(*) FILTER (WHERE \(past ?? "1") AND \(mayBeKept)),
                   count(*) FILTER (WHERE \(implausible))
            FROM \(table)\(place)
            """, condition.values(and: values))
        let counts = row?.map(\.integer) ?? [0, 0, 0]
        return (Tally(past: counts[0], mayBeKept: counts[1]), counts[2])
    }

    private func count(_ terms: String?, in db: Database) throws -> Int64 {
        let rows = "FROM \(table)\(terms.map { " WHERE " + $0 } ?? "")"
        return try db.value("SELECT count(*) \(rows)", condition.values()).integer
    }
}
