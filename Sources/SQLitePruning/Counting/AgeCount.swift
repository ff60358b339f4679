import FoundationEssentials
import Pruning
import Retention
import SQLite

/// Counts the rows of a rule's table by their times, in one pass. With an index on time it counts one stretch of the
/// index after another; otherwise it scans the table.
struct AgeCount {
    private let condition: ExpiryCondition
    private let kept: KeptRows?
    private let window: ExpiryWindow
    private let format: TimeFormat

    /// `kept` tells which of the past rows are also counted as kept.
    init(_ condition: ExpiryCondition, _ kept: KeptRows?) {
        self.condition = condition
        self.kept = kept
        window = condition.task.window
        format = condition.task.rule.time
    }

    /// The number of rows by time. `rows` counts all rows, with or without a time. `never` counts those that never
    /// expire, and `kept` those before the cutoff that are kept.
    struct Counts {
        var times: [(start: Int64, rows: Int64)] = []
        var rows: Int64 = 0
        var never: Int64 = 0
        var kept: Int64 = 0
        /// In seconds.
        var grain: Int64
    }

    private var table: TableSchema { condition.bound.table }
    private var name: String { table.name.quotedIdentifier }
    private var column: String { condition.column }

    func take(in db: Database) throws -> Counts {
        guard condition.bound.time != nil else {
            let place = condition.notGone.orTrue.joined(separator: " AND ")
            return Counts(
                rows: try db.value("SELECT count(*) FROM \(name) WHERE \(place)").integer, grain: 86_400)
        }
        return try isCountedByIndex(in: db) ? countByIndex(in: db) : countByScan(in: db)
    }

    /// Times at which a stretch must end: the cutoff, and the beginning of the future.
    private var splits: [Int64] {
        [window.cutoff, format.value(ofSecond: Int64(condition.task.future.timeIntervalSince1970))]
    }

    /// The last time that needs detail. For a rule by age, the future is shown as one line.
    private var lastShown: Int64 {
        if case .age = condition.task.rule.expiry { splits[1] - 1 } else { window.plausible.upperBound }
    }
}

/// Counting by an index.
extension AgeCount {
    /// An index by day must cover the query. Otherwise SQLite would read every row.
    private func isCountedByIndex(in db: Database) throws -> Bool {
        guard condition.notGone.isEmpty, let index = condition.bound.timeIndex,
            format.unit.storage == .integer
        else { return false }
        if index == .exact { return true }
        guard condition.bound.timeIsAlwaysInteger else { return false }
        guard table.isWithoutRowID else { return true }
        let steps = try db.queryPlan(of: "SELECT count(*) FROM \(name) WHERE \(index.entry(of: column)) = 0")
        return steps.allSatisfy { $0.contains("COVERING INDEX") }
    }

    private func countByIndex(in db: Database) throws -> Counts {
        let isExact = condition.bound.timeIndex == .exact
        let grain = max(isExact ? try grain(in: db) : 86_400, format.unit.seconds)
        let length = format.length(of: grain)
        var counts =
            try isExact
            ? count(byStretchesOf: length, in: db) : count(byEntriesOf: length, in: db)
        counts.grain = grain
        counts.never = try neverByIndex(in: db)
        counts.rows = try rows(with: counts.times, counts.never, in: db)
        return counts
    }

    /// Counts the rows of a part that `place` describes. Before the cutoff it also counts those that are kept.
    private func add(
        _ part: ClosedRange<Int64>, _ place: String, _ values: [String: DatabaseValue],
        to counts: inout Counts, in db: Database
    ) throws {
        let question = part.lowerBound < window.cutoff ? kept : nil
        let keeps = question.map { ", count(*) FILTER (WHERE \($0.sql))" } ?? ""
        let found = try db.row(
            "SELECT count(*)\(keeps) FROM \(name) WHERE \(place)",
            condition.values(and: values.merging(question?.values ?? [:]) { value, _ in value }))
        guard let found, case let rows = found[0].integer, rows > 0 else { return }
        counts.times.append((part.lowerBound, rows))
        if question != nil { counts.kept += found[1].integer }
    }

    private func neverByIndex(in db: Database) throws -> Int64 {
        guard condition.nullNeverExpires, let index = condition.bound.timeIndex else { return 0 }
        return try db.value("SELECT count(*) FROM \(name) WHERE \(index.entry(of: column)) IS NULL").integer
    }

    /// The number of all rows. `times` has the rows with a plausible time, and `never` counts those that need no time.
    private func rows(
        with times: [(start: Int64, rows: Int64)], _ never: Int64, in db: Database
    ) throws -> Int64 {
        guard let implausible = try TableCensus(condition: condition).countImplausibleByIndex(in: db) else {
            return try db.value("SELECT count(*) FROM \(name)").integer
        }
        return times.reduce(implausible + never) { $0 + $1.rows }
    }

    private var isInteger: String {
        condition.bound.timeIsAlwaysInteger ? "1" : "typeof(\(column)) = 'integer'"
    }

    /// In seconds; as fine as the bars of a report may need.
    private func grain(in db: Database) throws -> Int64 {
        let ends = try ["ASC", "DESC"].map { direction in
            try format.date(
                of: db.value(
                    """
                    SELECT \(column) FROM \(name) WHERE \(column) BETWEEN :lowest AND :last AND \(isInteger) \
                    ORDER BY \(column) \(direction) LIMIT 1
                    """, condition.values(and: ["last": .int64(lastShown)])
                ).integer)
        }
        switch ends[1].timeIntervalSince(ends[0]) {
        case ..<(2 * 86_400): return 60
        case ..<(14 * 86_400): return 3_600
        default: return 86_400
        }
    }

    private func count(byStretchesOf length: Int64, in db: Database) throws -> Counts {
        var counts = Counts(grain: 0)
        var from = window.plausible.lowerBound
        while from <= window.plausible.upperBound {
            let first = try db.row(
                """
                SELECT \(column) FROM \(name) WHERE \(column) BETWEEN :from AND :highest AND \(isInteger) \
                ORDER BY \(column) LIMIT 1
                """, condition.values(and: ["from": .int64(from)]))
            guard let value = first?[0].integer else { break }
            try checkOrder(value >= from)
            let stretch = stretch(at: value, length: length)
            for part in parts(of: stretch) {
                try add(
                    part, "\(column) BETWEEN :from AND :to AND \(isInteger)",
                    ["from": .int64(part.lowerBound), "to": .int64(part.upperBound)], to: &counts, in: db)
            }
            guard stretch.upperBound < window.plausible.upperBound else { break }
            from = stretch.upperBound + 1
        }
        return counts
    }

    private func count(byEntriesOf day: Int64, in db: Database) throws -> Counts {
        let entry = "\(column) / \(day)"
        var counts = Counts(grain: 0)
        var last = window.plausible.lowerBound / day - 1
        while true {
            let next = try db.row(
                "SELECT \(entry) FROM \(name) WHERE \(entry) > :last AND \(entry) <= :limit ORDER BY \(entry) LIMIT 1",
                ["last": .int64(last), "limit": .int64(window.plausible.upperBound / day)])
            guard let number = next?[0].integer else { return counts }
            try checkOrder(number > last)
            last = number
            let stretch = stretch(at: number * day, length: day)
            let parts = parts(of: stretch)
            for part in parts {
                // Only days that are split at the cutoff or the future need their rows read.
                let within = parts.count > 1 ? " AND +\(column) BETWEEN :from AND :to" : ""
                try add(
                    part, "\(entry) = :day\(within)",
                    [
                        "day": .int64(number), "from": .int64(part.lowerBound),
                        "to": .int64(part.upperBound),
                    ], to: &counts, in: db)
            }
        }
    }

    /// In a damaged index the next entry may be an earlier one, and counting would not end.
    private func checkOrder(_ isOnward: Bool) throws {
        guard !isOnward else { return }
        let rule = condition.task.rule
        throw StoreError(
            .damaged, operation: RuleWork.countByTime.of(table.name),
            place: rule.store.description, cause: "an index on \(rule.expiry.column ?? "") is out of order",
            hint: "look at the store with `PRAGMA integrity_check`")
    }

    /// The stretch of this length that contains `value`, limited to plausible times.
    private func stretch(at value: Int64, length: Int64) -> ClosedRange<Int64> {
        let start = value / length * length
        let (end, overflow) = start.addingReportingOverflow(length - 1)
        return start...(overflow ? window.plausible.upperBound : min(end, window.plausible.upperBound))
    }

    private func parts(of stretch: ClosedRange<Int64>) -> [ClosedRange<Int64>] {
        let inner = Set(splits).filter { stretch.contains($0) && $0 > stretch.lowerBound }.sorted()
        return zip([stretch.lowerBound] + inner, inner.map { $0 - 1 } + [stretch.upperBound]).map { $0...$1 }
    }
}

/// Counting by a scan.
extension AgeCount {
    private func countByScan(in db: Database) throws -> Counts {
        let byDay = try countByScan(grain: 86_400, in: db)
        // If all rows are within a few days, more detail can be shown. A second scan is cheap, because the table has
        // few rows.
        let past = byDay.times.filter { $0.start <= lastShown }
        let length = (past.last?.start ?? 0) - (past.first?.start ?? 0)
        guard length <= format.length(of: 2 * 86_400), byDay.rows <= Self.fewRows else { return byDay }
        return try countByScan(grain: max(60, format.unit.seconds), in: db)
    }

    private static let fewRows: Int64 = 1_000_000

    private func countByScan(grain: Int64, in db: Database) throws -> Counts {
        let length = format.length(of: grain)
        let (time, isTime) = (
            condition.wholeTime, "\(condition.isNumber) AND \(column) BETWEEN :lowest AND :highest"
        )
        let place = condition.notGone.isEmpty ? "" : " WHERE " + condition.notGone.joined(separator: " AND ")
        let rows = try db.rows(
            """
            SELECT iif(\(isTime), \(time) / :grain, NULL), \
            iif(\(isTime), (\(column) >= :split0) + (\(column) >= :split1), NULL), count(*), \
            count(*) FILTER (WHERE \(isTime) AND \(column) < :split0 AND \(kept?.sql ?? "0")), \
            count(*) FILTER (WHERE \(column) IS NULL) \
            FROM \(name)\(place) GROUP BY 1, 2 ORDER BY 1, 2
            """,
            condition.values(
                and: [
                    "grain": .int64(length), "split0": ColumnTime(splits[0], format).bound,
                    "split1": ColumnTime(splits[1], format).bound,
                ].merging(kept?.values ?? [:]) { value, _ in value }))
        var counts = Counts(grain: grain)
        for row in rows {
            counts.rows += row[2].integer
            guard case .int64(let number) = row[0] else {
                counts.never += condition.nullNeverExpires ? row[4].integer : 0
                continue
            }
            let parts = parts(of: stretch(at: number * length, length: length))
            let splitsBefore = splits.filter { $0 <= number * length }.count
            let part = parts[max(0, min(Int(row[1].integer) - splitsBefore, parts.count - 1))]
            counts.times.append((part.lowerBound, row[2].integer))
            counts.kept += row[3].integer
        }
        return counts
    }
}
