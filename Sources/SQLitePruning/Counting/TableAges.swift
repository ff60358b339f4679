import FoundationEssentials
import Pruning
import Retention
import SQLite

/// Describes a rule's table before a run: how many rows have expired, from when to when, and the ages of all rows.
struct TableAges {
    let condition: ExpiryCondition
    private let window: ExpiryWindow

    init(condition: ExpiryCondition) {
        self.condition = condition
        window = condition.task.window
    }

    private var name: String { condition.bound.table.name.quotedIdentifier }
    private var column: String { condition.column }

    func take(in db: Database) throws -> AgeProfile {
        // Otherwise not only the time and the keeper decide which rows stay.
        let isCensus =
            condition.bound.time != nil && condition.task.rule.keepLast == nil && condition.onlyTimeDecides
        let kept = isCensus ? try KeptRows(condition, in: db) : nil
        let counts = try AgeCount(condition, kept).take(in: db)
        let (census, keepsNone) =
            isCensus ? census(of: counts) : try TableCensus(condition: condition).take(in: db)
        let expired = condition.withinWindow + [keepsNone ? condition.expiredUnlessKept : condition.expired]
        let isAny = census.expired > 0
        var ages = AgeProfile(
            census: census, rows: counts.rows,
            oldestExpired: try isAny ? time(expired, "ASC", in: db) : nil,
            newestExpired: try isAny ? time(expired, "DESC", in: db) : nil,
            next: try time(condition.next, "ASC", in: db),
            counts: counts.times.map { TimeCount(start: date($0.start), rows: $0.rows) }, grain: counts.grain)
        ages.never = counts.never
        let old = condition.bound.time == nil ? counts.rows : past(of: counts)
        ages.stay = try staying(old - census.expired, in: db)
        if condition.bound.time != nil, old > census.expired {
            ages.staying = try staying(grain: counts.grain, in: db)
        }
        return ages
    }

    /// The rows before the cutoff that stay, by reason. `all` is how many there are.
    private func staying(_ all: Int64, in db: Database) throws -> ExemptRows {
        try condition.reasons.count(all) { firstReason in
            try db.rows(
                """
                SELECT \(firstReason), count(*) FROM \(name) \
                WHERE \(condition.beforeCutoff.joined(separator: " AND ")) GROUP BY 1
                """, condition.values()
            ).map { row in
                guard case .int64(let reason) = row[0] else { return (nil, row[1].integer) }
                return (reason, row[1].integer)
            }
        }
    }

    /// The rows before the cutoff that stay, by stretches of `grain` seconds.
    private func staying(grain: Int64, in db: Database) throws -> [TimeCount] {
        let length = condition.task.rule.time.length(of: grain)
        let place = condition.beforeCutoff + ["(\(condition.expired)) IS NOT 1"]
        return try db.rows(
            """
            SELECT \(condition.wholeTime) / :length, count(*) FROM \(name) \
            WHERE \(place.joined(separator: " AND ")) GROUP BY 1 ORDER BY 1
            """,
            condition.values(and: ["length": .int64(length)])
        ).map { TimeCount(start: date($0[0].integer * length), rows: $0[1].integer) }
    }

    private func census(of counts: AgeCount.Counts) -> (census: Census, keepsNone: Bool) {
        let plausible = counts.times.reduce(0) { $0 + $1.rows }
        return (
            Census(
                expired: past(of: counts) - counts.kept, implausible: counts.rows - plausible - counts.never),
            counts.kept == 0
        )
    }

    private func past(of counts: AgeCount.Counts) -> Int64 {
        counts.times.reduce(0) { $0 + ($1.start < window.cutoff ? $1.rows : 0) }
    }

    private func date(_ value: Int64) -> Date { condition.task.rule.time.date(of: value) }

    /// The first time, in this order, of the rows that satisfy all `terms`.
    private func time(_ terms: [String], _ direction: String, in db: Database) throws -> Date? {
        let order = [condition.bound.timeIndex?.entry(of: column), column].compactMap {
            $0.map { "\($0) \(direction)" }
        }
        let found = try db.value(
            """
            SELECT \(condition.wholeTime) FROM \(name) WHERE \(terms.joined(separator: " AND ")) \
            ORDER BY \(order.joined(separator: ", ")) LIMIT 1
            """, condition.values())
        if case .int64(let value) = found { return date(value) }
        return nil
    }
}
