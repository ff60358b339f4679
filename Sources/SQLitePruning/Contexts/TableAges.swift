import Foundation
import Pruning
import Retention

/// Counts the rows of a rule's table by their times, in one pass: through an index on time, a day at a time, where there
/// is one, and else through the table.
struct TableAges {
    let condition: ExpiryCondition
    private let window: ExpiryWindow
    private let unit: TimeUnit

    init(condition: ExpiryCondition) {
        self.condition = condition
        window = condition.task.window
        unit = condition.task.rule.unit
    }

    /// The rows by their times, `rows` of them with those that have none.
    struct Counts {
        var times: [(start: Int64, rows: Int64)]
        var rows: Int64
        /// In seconds.
        var grain: Int64
    }

    private var table: TableSchema { condition.bound.table }
    private var name: String { table.name.quotedIdentifier }
    private var column: String { condition.column }

    func take(in db: Database) throws -> AgeProfile {
        let counts = try isCountedByIndex(in: db) ? countByIndex(in: db) : countByScan(in: db)
        let (census, keepsNone) = try census(of: counts, in: db)
        let expired = condition.withinWindow + [keepsNone ? condition.expiredByTime : condition.expired]
        let isAny = census.expired > 0
        return AgeProfile(
            census: census, rows: counts.rows,
            oldestExpired: try isAny ? time(expired, "ASC", in: db) : nil,
            newestExpired: try isAny ? time(expired, "DESC", in: db) : nil,
            next: try time(condition.next, "ASC", in: db),
            counts: counts.times.map { TimeCount(start: date($0.start), rows: $0.rows) }, grain: counts.grain)
    }

    /// As ``TableCensus`` says it, from `counts` if all rows before the cutoff have expired but those that the keeper
    /// keeps.
    private func census(of counts: Counts, in db: Database) throws -> (census: Census, keepsNone: Bool) {
        let table = TableCensus(condition: condition)
        guard condition.task.rule.keepLast == nil, condition.notGone.isEmpty, condition.notLeased == nil
        else { return try table.take(in: db) }
        let plausible = counts.times.reduce(0) { $0 + $1.rows }
        let past = counts.times.reduce(0) { $0 + ($1.start < window.cutoff ? $1.rows : 0) }
        let kept = try table.countKept(ofPast: past, in: db)
        return (Census(expired: past - kept, implausible: counts.rows - plausible), kept == 0)
    }

    private func date(_ value: Int64) -> Date {
        Date(timeIntervalSince1970: Double(value) / Double(unit.perSecond))
    }

    /// The first time, in this order, of the rows that all `terms` hold of.
    private func time(_ terms: [String], _ direction: String, in db: Database) throws -> Date? {
        let order = [condition.bound.timeIndex?.entry(of: column), column].compactMap {
            $0.map { "\($0) \(direction)" }
        }
        let found = try db.value(
            """
            SELECT \(column) FROM \(name) WHERE \(terms.joined(separator: " AND ")) \
            ORDER BY \(order.joined(separator: ", ")) LIMIT 1
            """, condition.values(and: ["cutoff": .int64(window.cutoff)]))
        if case .int64(let value) = found { return date(value) }
        return nil
    }

    /// Where a stretch must end: the cutoff, and where the future begins.
    private var splits: [Int64] {
        [window.cutoff, unit.value(ofSecond: Int64(condition.task.future.timeIntervalSince1970))]
    }

    /// The last time that the picture must show more closely: what is of the future is one line where times are ages.
    private var lastShown: Int64 {
        if case .age = condition.task.rule.expiry { splits[1] - 1 } else { window.plausible.upperBound }
    }
}

/// By an index.
extension TableAges {
    /// An index by day must be all that is asked about: it leads to every row, else.
    private func isCountedByIndex(in db: Database) throws -> Bool {
        guard condition.notGone.isEmpty, let index = condition.bound.timeIndex else { return false }
        if index == .exact { return true }
        guard condition.bound.timeIsAlwaysInteger else { return false }
        guard table.isWithoutRowID else { return true }
        let steps = try db.queryPlan(of: "SELECT count(*) FROM \(name) WHERE \(index.entry(of: column)) = 0")
        return steps.allSatisfy { $0.contains("COVERING INDEX") }
    }

    private func countByIndex(in db: Database) throws -> Counts {
        let isExact = condition.bound.timeIndex == .exact
        let grain = isExact ? try grain(in: db) : 86_400
        let length = grain * unit.perSecond
        let times = try isExact ? count(byStretchesOf: length, in: db) : count(byEntriesOf: length, in: db)
        return Counts(times: times, rows: try rows(with: times, in: db), grain: grain)
    }

    /// All rows, of which `times` are those that have a plausible time.
    private func rows(with times: [(start: Int64, rows: Int64)], in db: Database) throws -> Int64 {
        guard let implausible = try TableCensus(condition: condition).countImplausibleByIndex(in: db) else {
            return try db.value("SELECT count(*) FROM \(name)").integer
        }
        return times.reduce(implausible) { $0 + $1.rows }
    }

    private var isInteger: String {
        condition.bound.timeIsAlwaysInteger ? "1" : "typeof(\(column)) = 'integer'"
    }

    /// As fine as the bars may become, and no finer.
    private func grain(in db: Database) throws -> Int64 {
        let ends = try ["ASC", "DESC"].map { direction in
            try db.value(
                """
                SELECT \(column) FROM \(name) WHERE \(column) BETWEEN :lowest AND :last AND \(isInteger) \
                ORDER BY \(column) \(direction) LIMIT 1
                """, condition.values(and: ["last": .int64(lastShown)])
            ).integer / unit.perSecond
        }
        switch ends[1] - ends[0] {
        case ..<(2 * 86_400): return 60
        case ..<(14 * 86_400): return 3_600
        default: return 86_400
        }
    }

    private func count(byStretchesOf length: Int64, in db: Database) throws -> [(start: Int64, rows: Int64)] {
        var times: [(start: Int64, rows: Int64)] = []
        var from = window.plausible.lowerBound
        while from <= window.plausible.upperBound {
            let first = try db.row(
                """
                SELECT \(column) FROM \(name) WHERE \(column) BETWEEN :from AND :highest AND \(isInteger) \
                ORDER BY \(column) LIMIT 1
                """, condition.values(and: ["from": .int64(from)]))
            guard let value = first?[0].integer else { break }
            let stretch = stretch(at: value, length: length)
            for part in parts(of: stretch) {
                let rows = try db.value(
                    "SELECT count(*) FROM \(name) WHERE \(column) BETWEEN :from AND :to AND \(isInteger)",
                    ["from": .int64(part.lowerBound), "to": .int64(part.upperBound)]
                ).integer
                if rows > 0 { times.append((part.lowerBound, rows)) }
            }
            guard stretch.upperBound < window.plausible.upperBound else { break }
            from = stretch.upperBound + 1
        }
        return times
    }

    private func count(byEntriesOf day: Int64, in db: Database) throws -> [(start: Int64, rows: Int64)] {
        let entry = "\(column) / \(day)"
        var times: [(start: Int64, rows: Int64)] = []
        var last = window.plausible.lowerBound / day - 1
        while true {
            let next = try db.row(
                "SELECT \(entry) FROM \(name) WHERE \(entry) > :last AND \(entry) <= :limit ORDER BY \(entry) LIMIT 1",
                ["last": .int64(last), "limit": .int64(window.plausible.upperBound / day)])
            guard let number = next?[0].integer else { return times }
            last = number
            let stretch = stretch(at: number * day, length: day)
            let parts = parts(of: stretch)
            for part in parts {
                // Rows are read on the days alone that are not counted as a whole.
                let within = parts.count > 1 ? " AND +\(column) BETWEEN :from AND :to" : ""
                let rows = try db.value(
                    "SELECT count(*) FROM \(name) WHERE \(entry) = :day\(within)",
                    [
                        "day": .int64(number), "from": .int64(part.lowerBound),
                        "to": .int64(part.upperBound),
                    ]
                ).integer
                if rows > 0 { times.append((part.lowerBound, rows)) }
            }
        }
    }

    /// The stretch of this length that `value` is in, as far as times in it are plausible.
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

/// By the table.
extension TableAges {
    private func countByScan(in db: Database) throws -> Counts {
        let byDay = try countByScan(grain: 86_400, in: db)
        // Of a table whose rows are all of some days, more can be shown; that it has few rows makes it cheap.
        let past = byDay.times.filter { $0.start <= lastShown }
        let length = (past.last?.start ?? 0) - (past.first?.start ?? 0)
        guard length <= 2 * 86_400 * unit.perSecond, byDay.rows <= Self.fewRows else { return byDay }
        return try countByScan(grain: 60, in: db)
    }

    private static let fewRows: Int64 = 1_000_000

    private func countByScan(grain: Int64, in db: Database) throws -> Counts {
        let isTime = "typeof(\(column)) = 'integer' AND \(column) BETWEEN :lowest AND :highest"
        let place = condition.notGone.isEmpty ? "" : " WHERE " + condition.notGone.joined(separator: " AND ")
        let rows = try db.rows(
            """
            SELECT iif(\(isTime), \(column) / :grain, NULL), \
            iif(\(isTime), (\(column) >= :split0) + (\(column) >= :split1), NULL), count(*) \
            FROM \(name)\(place) GROUP BY 1, 2 ORDER BY 1, 2
            """,
            condition.values(and: [
                "grain": .int64(grain * unit.perSecond), "split0": .int64(splits[0]),
                "split1": .int64(splits[1]),
            ]))
        var counts = Counts(times: [], rows: 0, grain: grain)
        for row in rows {
            counts.rows += row[2].integer
            guard case .int64(let number) = row[0] else { continue }
            let parts = parts(
                of: stretch(at: number * grain * unit.perSecond, length: grain * unit.perSecond))
            let splitsBefore = splits.filter { $0 <= number * grain * unit.perSecond }.count
            let part = parts[min(Int(row[1].integer) - splitsBefore, parts.count - 1)]
            counts.times.append((part.lowerBound, row[2].integer))
        }
        return counts
    }
}
