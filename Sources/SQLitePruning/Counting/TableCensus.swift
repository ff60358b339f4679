import Pruning
import SQLite

/// Counts a task's rows. It reads only as much of the table as it needs.
struct TableCensus {
    let condition: ExpiryCondition

    /// The number of rows whose time is past, and of those among them that the keeper keeps.
    private struct Tally {
        var past: Int64
        var kept: Int64
    }

    private var table: String { condition.bound.table.name.quotedIdentifier }

    /// Counts the rows. `keepsNone` means that no row whose time is past is kept.
    func take(in db: Database) throws -> (census: Census, keepsNone: Bool) {
        let kept = try KeptRows(condition, in: db)
        let implausible: Int64
        let tally: Tally
        if condition.notGone.isEmpty, try isCountedByIndex(in: db),
            let counted = try countImplausibleByIndex(condition.wanted, in: db)
        {
            implausible = counted
            tally = try tallyByIndex(kept, in: db)
        } else if let counted = try countImplausibleByOrder(in: db) {
            implausible = counted
            tally = try tallyByOrder(in: db) ?? self.tally(condition.expiredUnlessKept, kept, in: db).tally
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

    /// How many rows of which all `terms` are true have an implausible time; nil if no index tells.
    func countImplausibleByIndex(_ terms: [String] = [], in db: Database) throws -> Int64? {
        try condition.implausibleByTime?.reduce(0) {
            try $0 + count(([$1] + terms).joined(separator: " AND "), in: db)
        }
    }

    /// Whether any row's time is past. Uses the index if there is one.
    func findsPast(in db: Database) throws -> Bool {
        let past = (condition.withinWindow + [condition.expiredUnlessKept]).joined(separator: " AND ")
        return try db.row("SELECT 1 FROM \(table) WHERE \(past) LIMIT 1", condition.values()) != nil
    }

    /// If an index does not cover the query, SQLite reads the row for each entry. With many entries this costs more
    /// than a scan.
    private func isCountedByIndex(in db: Database) throws -> Bool {
        guard condition.implausibleByTime != nil else { return false }
        let window = condition.withinWindow.joined(separator: " AND ")
        let steps = try db.queryPlan(
            of: "SELECT count(*) FROM \(table) WHERE \(window)", condition.values())
        let isCovering = steps.contains { $0.contains("COVERING INDEX") }
        // In a table with rowids, SQLite reads a row only if it has to be judged.
        if !condition.judgesRows, isCovering || !condition.bound.table.isWithoutRowID { return true }
        let few = "SELECT count(*) FROM (SELECT 1 FROM \(table) WHERE \(window) LIMIT \(Self.few + 1))"
        return try db.value(few, condition.values()).integer <= Self.few
    }

    /// SQLite looks up this many rows in a few hundredths of a second.
    private static let few: Int64 = 20_000

    /// How many rows have an implausible time, by the order of an index on the column: NULLs and times that are too small
    /// come first, and times that are too large, texts and blobs last. Nil without such an index, or if not all rows of
    /// the table count.
    private func countImplausibleByOrder(in db: Database) throws -> Int64? {
        guard condition.bound.timeIndex == .exact, let time = condition.bound.time,
            time.format.unit.storage == .integer, !time.column.holdsNumbersAsText, condition.notGone.isEmpty
        else { return nil }
        let column = condition.column
        let parts = ["\(column) < :lowest", "\(column) > :highest", condition.fractional]
        return try (parts + (condition.nullNeverExpires ? [] : ["\(column) IS NULL"])).reduce(0) {
            try $0 + count(([$1] + condition.wanted).joined(separator: " AND "), in: db)
        }
    }

    /// Counts the past rows by the same order. Nil if not only the time decides.
    private func tallyByOrder(in db: Database) throws -> Tally? {
        guard condition.bound.keepers.isEmpty, condition.onlyTimeDecides else { return nil }
        let column = condition.column
        let others = try ["\(column) IS NULL", "\(column) < :lowest", "\(column) > :latest"].reduce(0) {
            try $0 + count($1, in: db)
        }
        let fractions = try count("\(condition.fractional) AND \(column) <= :latest", in: db)
        // If `:latest` is before `:lowest`, a fraction between the two counts twice. Then no row is past.
        return Tally(past: max(0, try count(nil, in: db) - others - fractions), kept: 0)
    }

    private func tallyByIndex(_ kept: KeptRows?, in db: Database) throws -> Tally {
        let past = condition.expiredUnlessKept
        guard let days = condition.days else {
            let window = " WHERE " + condition.withinWindow.joined(separator: " AND ")
            return try tally(past, kept, from: window, in: db).tally
        }
        let whole = try tally(nil, kept, within: days.whole, in: db)
        let boundary = try tally(past, kept, within: days.boundary, in: db)
        return Tally(past: whole.past + boundary.past, kept: whole.kept + boundary.kept)
    }

    /// The same for the days that `days` describes.
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
            condition.expiredUnlessKept, kept,
            implausible: ([condition.implausible] + condition.notGone + condition.wanted).map { "(\($0))" }
                .joined(
                    separator: " AND "),
            from: place, arguments, in: db)
    }

    /// One pass over the rows of `place`. Counts those that satisfy `past` (nil: all), and those that satisfy
    /// `implausible`.
    private func tally(
        _ past: String?, _ kept: KeptRows?, implausible: String = "0", from place: String = "",
        _ arguments: [String: DatabaseValue] = [:], in db: Database
    ) throws -> (tally: Tally, implausible: Int64) {
        // One sum counts both, in its lower and its upper half, so that no row is judged twice.
        let one = kept.map { "iif(\($0.sql), \(Self.upperHalf + 1), 1)" } ?? "1"
        let row = try db.row(
            """
            SELECT coalesce(sum(\(one)) FILTER (WHERE \(past ?? "1")), 0), count(*) FILTER (WHERE \(implausible))
            FROM \(table)\(place)
            """, condition.values(and: arguments.merging(kept?.values ?? [:]) { $1 }))
        let (sum, implausible) = (row?[0].integer ?? 0, row?[1].integer ?? 0)
        return (Tally(past: sum % Self.upperHalf, kept: sum / Self.upperHalf), implausible)
    }

    /// More rows than a table can be walked through; twice as many bits hold both counts.
    private static let upperHalf: Int64 = 1 << 32

    private func count(_ terms: String?, in db: Database) throws -> Int64 {
        let rows = "FROM \(table)\(terms.map { " WHERE " + $0 } ?? "")"
        return try db.value("SELECT count(*) \(rows)", condition.values()).integer
    }
}
