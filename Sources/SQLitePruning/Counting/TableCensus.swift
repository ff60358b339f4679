import Pruning
import SQLite

/// Counts a task's rows, reading no more of the table than the question needs.
struct TableCensus {
    let condition: ExpiryCondition

    /// Rows whose time is past, and those of them that the keeper keeps.
    private struct Tally {
        var past: Int64
        var kept: Int64
    }

    private var table: String { condition.bound.table.name.quotedIdentifier }

    /// Counts. `keepsNone`: no row whose time is past is kept.
    func take(in db: Database) throws -> (census: Census, keepsNone: Bool) {
        let kept = try KeptRows(condition, in: db)
        let implausible: Int64
        let tally: Tally
        if condition.notGone.isEmpty, try isCountedByIndex(in: db),
            let counted = try countImplausibleByIndex(in: db)
        {
            implausible = counted
            tally = try tallyByIndex(kept, in: db)
        } else if let counted = try tallyByOrder(in: db) {
            (tally, implausible) = counted
        } else {
            (tally, implausible) = try tallyByScan(kept, in: db)
        }
        return (Census(expired: tally.past - tally.kept, implausible: implausible), tally.kept == 0)
    }

    /// Counts the rows of a slice of the table.
    func take(_ slice: Slice, _ kept: KeptRows?, in db: Database) throws -> Census {
        let place = slice.terms.isEmpty ? "" : " WHERE " + slice.terms.joined(separator: " AND ")
        let (tally, implausible) = try tallyByScan(kept, from: place, slice.arguments, in: db)
        return Census(expired: tally.past - tally.kept, implausible: implausible)
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

    /// By where an index on the column has the times that are past: NULL and what is too small stands before them, what is
    /// too large, text and blobs behind. Nil where there is no such index, or more than the time decides.
    private func tallyByOrder(in db: Database) throws -> (tally: Tally, implausible: Int64)? {
        guard condition.bound.timeIndex == .exact, !condition.bound.time.holdsNumbersAsText,
            condition.bound.keeper == nil, condition.notGone.isEmpty, condition.notLeased == nil
        else { return nil }
        let column = condition.column
        let empty = try count("\(column) IS NULL", in: db)
        let tooSmall = try count("\(column) < :lowest", in: db)
        let notPast = try count("\(column) > :latest", in: db)
        let tooLarge = try count("\(column) > :highest", in: db)
        let fractions = try db.row(
            "SELECT count(*), count(*) FILTER (WHERE \(column) <= :latest) FROM \(table) WHERE \(condition.fractional)",
            condition.values())
        let (all, past) = (fractions?[0].integer ?? 0, fractions?[1].integer ?? 0)
        let total = try count(nil, in: db)
        // Where all that is past is kept, a fraction just before the first time counts twice, and none is past.
        return (
            Tally(past: max(0, total - empty - tooSmall - notPast - past), kept: 0),
            (condition.nullNeverExpires ? 0 : empty) + tooSmall + tooLarge + all
        )
    }

    private func tallyByIndex(_ kept: KeptRows?, in db: Database) throws -> Tally {
        let past = condition.expiredByTime
        guard let days = condition.days else {
            let window = " WHERE " + condition.withinWindow.joined(separator: " AND ")
            return try tally(past, kept, from: window, in: db).tally
        }
        let whole = try tally(nil, kept, within: days.whole, in: db)
        let boundary = try tally(past, kept, within: days.boundary, in: db)
        return Tally(past: whole.past + boundary.past, kept: whole.kept + boundary.kept)
    }

    /// The same of the days that `days` describes.
    private func tally(
        _ past: String?, _ kept: KeptRows?, within days: String, in db: Database
    ) throws -> Tally {
        guard kept == nil else { return try tally(past, kept, from: " WHERE " + days, in: db).tally }
        let terms = [days, past].compactMap(\.self).joined(separator: " AND ")
        return Tally(past: try count(terms, in: db), kept: 0)
    }

    private func tallyByScan(
        _ kept: KeptRows?, from place: String = "", _ arguments: [String: DatabaseValue] = [:],
        in db: Database
    ) throws -> (tally: Tally, implausible: Int64) {
        try tally(
            condition.expiredByTime, kept,
            implausible: ([condition.implausible] + condition.notGone).map { "(\($0))" }.joined(
                separator: " AND "),
            from: place, arguments, in: db)
    }

    /// One pass over the rows of `place`: those that `past` holds of (nil: all), and those that `implausible` holds of.
    private func tally(
        _ past: String?, _ kept: KeptRows?, implausible: String = "0", from place: String = "",
        _ arguments: [String: DatabaseValue] = [:], in db: Database
    ) throws -> (tally: Tally, implausible: Int64) {
        let row = try db.row(
            """
            SELECT count(*) FILTER (WHERE \(past ?? "1")), count(*) FILTER (WHERE \(past ?? "1") AND \(kept?.sql ?? "0")),
                   count(*) FILTER (WHERE \(implausible))
            FROM \(table)\(place)
            """, condition.values(and: arguments.merging(kept?.values ?? [:]) { $1 }))
        let counts = row?.map(\.integer) ?? [0, 0, 0]
        return (Tally(past: counts[0], kept: counts[1]), counts[2])
    }

    private func count(_ terms: String?, in db: Database) throws -> Int64 {
        let rows = "FROM \(table)\(terms.map { " WHERE " + $0 } ?? "")"
        return try db.value("SELECT count(*) \(rows)", condition.values()).integer
    }
}
