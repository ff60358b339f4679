import GRDB
import Pruning

/// Counts a task's rows, reading no more of the table than the question needs.
struct TableCensus {
    let condition: ExpiryCondition

    private var table: String { condition.bound.table.name.quotedIdentifier }

    /// Counts. `keepsNone` is true only if no row whose time is past has a key that the keeper may hold.
    func take(in db: Database) throws -> (census: Census, keepsNone: Bool) {
        let hasIndex = try isCountedByIndex(in: db)
        let implausible: Int64
        var past: Int64
        var kept: (mayBe: Int64, kept: Int64) = (0, 0)
        if hasIndex {
            implausible = try condition.implausibleByTime.map { try count($0, in: db) } ?? 0
            past = try countPastByIndex(in: db)
        } else {
            (past, implausible) = try countByScan(in: db)
        }
        if past > 0 { kept = try countKept(hasIndex ? condition.withinWindow : [], in: db) }
        return (Census(expired: past - kept.kept, implausible: implausible), kept.mayBe == 0)
    }

    /// Whether any row's time is past; through the index where there is one.
    func findsPast(in db: Database) throws -> Bool {
        try exists((condition.withinWindow + [condition.expiredByTime]).joined(separator: " AND "), in: db)
    }

    /// An index that does not hold all that is asked about sends SQLite to the row for each entry, which is dearer than
    /// a scan once there are many.
    private func isCountedByIndex(in db: Database) throws -> Bool {
        guard condition.implausibleByTime != nil else { return false }
        let window = condition.withinWindow.joined(separator: " AND ")
        let steps = try rows("EXPLAIN QUERY PLAN SELECT count(*) FROM \(table) WHERE \(window)", in: db)
        let isCovering = steps.contains { ($0["detail"] as String).contains("COVERING INDEX") }
        // A row with a rowid is read only if it has to be judged.
        if isCovering || !condition.bound.table.isWithoutRowID { return true }
        let few = "SELECT count(*) FROM (SELECT 1 FROM \(table) WHERE \(window) LIMIT \(Self.few + 1))"
        return try integer(few, in: db) <= Self.few
    }

    /// As many rows are looked up in a few hundredths of a second.
    private static let few: Int64 = 20_000

    private func countPastByIndex(in db: Database) throws -> Int64 {
        if let days = condition.days {
            return try count(days.past, in: db)
                + count("\(days.boundary) AND \(condition.expiredByTime)", in: db)
        }
        return try count(
            (condition.withinWindow + [condition.expiredByTime]).joined(separator: " AND "), in: db)
    }

    private func countByScan(in db: Database) throws -> (past: Int64, implausible: Int64) {
        let row = try rows(
            """
            SELECT count(*) FILTER (WHERE \(condition.expiredByTime)),
                   count(*) FILTER (WHERE \(condition.implausible))
            FROM \(table)
            """, in: db
        ).first
        return (row?[0] ?? 0, row?[1] ?? 0)
    }

    /// The rows whose time is past and that the keeper may keep, by what it reaches, and those that it keeps.
    private func countKept(_ window: [String], in db: Database) throws -> (mayBe: Int64, kept: Int64) {
        guard let notKept = condition.notKept, let mayBeKept = condition.mayBeKept else { return (0, 0) }
        let reach = try KeeperReach(of: condition.bound, in: db)
        let (terms, values): ([String], [String: DatabaseValue])
        switch reach {
        case .none: return (0, 0)
        case .between(let lowest, let highest):
            (terms, values) = ([mayBeKept], ExpiryCondition.keeperLimits(lowest, highest))
        case .any: (terms, values) = ([], [:])
        }
        let row = try rows(
            """
            SELECT count(*), count(*) FILTER (WHERE NOT (\(notKept))) FROM \(table)
            WHERE \((window + [condition.expiredByTime] + terms).joined(separator: " AND "))
            """, values, in: db
        ).first
        return (row?[0] ?? 0, row?[1] ?? 0)
    }

    private func count(_ terms: String, in db: Database) throws -> Int64 {
        try integer("SELECT count(*) FROM \(table) WHERE \(terms)", in: db)
    }

    private func exists(_ terms: String, in db: Database) throws -> Bool {
        try !rows("SELECT 1 FROM \(table) WHERE \(terms) LIMIT 1", in: db).isEmpty
    }

    private func integer(_ sql: String, in db: Database) throws -> Int64 {
        try rows(sql, in: db).first?[0] ?? 0
    }

    private func rows(
        _ sql: String, _ values: [String: DatabaseValue] = [:], in db: Database
    ) throws -> [Row] {
        let statement = try db.makeStatement(sql: sql)
        condition.bind(to: statement, values)
        return try Row.fetchAll(statement)
    }
}
