import FoundationEssentials
import Pruning
import Retention

/// Describes a rule's table before a run: how many rows have expired, from when to when, and the ages of all rows.
struct TableAges {
    let condition: ExpiryCondition

    private var bound: BoundRule { condition.bound }
    private var task: PruneTask { condition.task }

    func take(in connection: Connection) throws -> AgeProfile {
        let census = try TableCensus(condition: condition).take(in: connection)
        guard let time = bound.time else {
            let rows = try count(condition.notGone, in: connection)
            var ages = AgeProfile(
                census: census, rows: rows, oldestExpired: nil, newestExpired: nil, next: nil, counts: [],
                grain: 86_400)
            ages.stay = try staying(rows - census.expired, in: connection)
            ages.dependents = try dependents(census, in: connection)
            return ages
        }
        let grain = try grain(of: time, in: connection)
        let counts = try counts(of: time, grain, in: connection)
        let ends = try census.expired > 0 ? expiredEnds(of: time, in: connection) : (nil, nil)
        var ages = AgeProfile(
            census: census, rows: try count(condition.notGone, in: connection), oldestExpired: ends.0,
            newestExpired: ends.1, next: try next(of: time, in: connection), counts: counts, grain: grain)
        if condition.nullNeverExpires {
            ages.never = try count(condition.notGone + ["\(time.sql) IS NULL"], in: connection)
        }
        let past = try count(condition.notGone + condition.isPast, in: connection)
        ages.stay = try staying(past - census.expired, in: connection)
        if past > census.expired { ages.staying = try stayingCounts(of: time, grain, in: connection) }
        ages.dependents = try dependents(census, in: connection)
        return ages
    }

    private func count(_ terms: [String], in connection: Connection) throws -> Int64 {
        let place = terms.isEmpty ? "" : " WHERE " + terms.joined(separator: " AND ")
        let from = condition.from()
        return try connection.query("\(condition.with(of: from))SELECT count(*) \(from)\(place)").integer(
            0, 0) ?? 0
    }

    private func date(_ second: String?) -> Date? {
        second.flatMap(Double.init).map { Date(timeIntervalSince1970: $0) }
    }

    private func expiredEnds(of time: TimeColumn, in connection: Connection) throws -> (Date?, Date?) {
        let from = condition.from()
        let found = try connection.query(
            """
            \(condition.with(of: from))SELECT min(\(time.second)), max(\(time.second)) \(from)\(condition.join) \
            WHERE \(condition.expired)
            """)
        return (date(found.text(0, 0)), date(found.text(0, 1)))
    }

    /// The oldest time that has not expired, of the rows that only their time keeps, or a keeper.
    private func next(of time: TimeColumn, in connection: Connection) throws -> Date? {
        // A row among the newest of its group may be none of them by then.
        let newest = condition.newest.flatMap { $0.hasGroups ? nil : $0.isOlder }
        let terms =
            [time.isPlausible, "NOT (\(time.isBefore(task.cutoff)))"] + condition.demanded
            + [newest, condition.leased?.isAbsent].compactMap(\.self)
        let from = condition.from()
        let found = try connection.query(
            """
            \(condition.with(of: from))SELECT \(time.second) \(from) WHERE \(terms.joined(separator: " AND ")) \
            ORDER BY \(time.sql) LIMIT 1
            """)
        return found.count > 0 ? date(found.text(0, 0)) : nil
    }

    // MARK: - Ages

    /// In seconds; as fine as the bars of a report may need.
    private func grain(of time: TimeColumn, in connection: Connection) throws -> Int64 {
        let from = condition.from()
        let found = try connection.query(
            """
            \(condition.with(of: from))SELECT min(\(time.second)), max(\(time.second)) \(from) \
            WHERE \(time.isPlausible) AND \(time.isBefore(task.future))
            """)
        guard let first = found.integer(0, 0), let last = found.integer(0, 1) else { return 86_400 }
        switch last - first {
        case ..<(2 * 86_400): return 60
        case ..<(14 * 86_400): return 3_600
        default: return 86_400
        }
    }

    /// No stretch lies on both sides of the cutoff or of the run's start.
    private func counts(of time: TimeColumn, _ grain: Int64, in connection: Connection) throws -> [TimeCount]
    {
        let place = condition.notGone + [time.isPlausible]
        let future = Int64(task.future.timeIntervalSince1970)
        let side = "(NOT (\(time.isBefore(task.cutoff))))::int + (\(time.second) >= \(future))::int"
        let from = condition.from()
        return try connection.query(
            """
            \(condition.with(of: from))SELECT min(\(time.second)), count(*) \(from) \
            WHERE \(place.joined(separator: " AND ")) GROUP BY \(time.second) / \(grain), \(side) ORDER BY 1
            """
        ).rows.compactMap(timeCount)
    }

    // MARK: - What stays

    /// The rows before the cutoff that stay, by stretches of `grain` seconds.
    private func stayingCounts(
        of time: TimeColumn, _ grain: Int64, in connection: Connection
    ) throws -> [TimeCount] {
        let place = condition.notGone + condition.isPast + ["(\(condition.expired)) IS NOT TRUE"]
        let from = condition.from()
        return try connection.query(
            """
            \(condition.with(of: from))SELECT min(\(time.second)), count(*) \(from)\(condition.join) \
            WHERE \(place.joined(separator: " AND ")) GROUP BY \(time.second) / \(grain) ORDER BY 1
            """
        ).rows.compactMap(timeCount)
    }

    private func timeCount(_ row: [String?]) -> TimeCount? {
        guard let start = date(row[0]), let rows = row[1].flatMap({ Int64($0) }) else { return nil }
        return TimeCount(start: start, rows: rows)
    }

    /// The old rows that stay, by reason. `all` is how many there are.
    private func staying(_ all: Int64, in connection: Connection) throws -> ExemptRows {
        try condition.reasons.count(all) { firstReason in
            let place = condition.notGone + condition.isPast
            let from = condition.from()
            let found = try connection.query(
                """
                \(condition.with(of: from))SELECT \(firstReason), count(*) \(from)\(condition.join) \
                \(place.isEmpty ? "" : "WHERE " + place.joined(separator: " AND ")) GROUP BY 1
                """)
            return (0..<found.count).map { (found.integer($0, 0), found.integer($0, 1) ?? 0) }
        }
    }

    /// How many rows of the rule's dependents refer to rows that would go; nil where only the deletion can tell.
    private func dependents(_ census: Census, in connection: Connection) throws -> Int64? {
        let keys = bound.cascades.filter(\.cascades)
        guard census.expired > 0, !keys.isEmpty else { return 0 }
        guard keys.allSatisfy({ $0.parent == bound.relation.oid }) else { return nil }
        return try keys.reduce(0 as Int64?) { sum, key in
            let child = try connection.relation(key.child)
            // The server deletes them whether or not the role may look at them.
            guard let sum, try connection.hasPrivilege("SELECT", on: child) else { return nil }
            let (from, other) = (condition.from(), "pruned dependent".quotedIdentifier)
            let match = zip(key.childColumns, key.parentColumns).map {
                "\(other).\($0.quotedIdentifier) = \(bound.relation.column($1))"
            }
            let found = try connection.query(
                """
                \(condition.with(of: from))SELECT count(*) FROM \(condition.source(of: child)) AS \(other) WHERE EXISTS (SELECT \(from)\
                \(condition.join) WHERE \((match + condition.terms).joined(separator: " AND ")))
                """)
            return sum + (found.integer(0, 0) ?? 0)
        }
    }
}
