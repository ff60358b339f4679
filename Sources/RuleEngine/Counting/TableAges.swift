import FoundationEssentials
import Pruning
import Retention

/// Describes a rule's table before a run: how many rows have expired, from when to when, and the ages of all rows.
package struct TableAges<Condition: ExpirySQL> {
    private let condition: Condition
    private let ask: Asking
    private var task: PruneTask { condition.task }

    package init(condition: Condition, ask: @escaping Asking) {
        (self.condition, self.ask) = (condition, ask)
    }

    /// `census` is what the task would delete, and `dependents` the number of rows that would go with them.
    package func take(_ census: Census, dependents: Int64?) throws -> AgeProfile {
        let rows = try count(condition.notGone)
        guard let time = condition.time else {
            var ages = AgeProfile(
                census: census, rows: rows, oldestExpired: nil, newestExpired: nil, next: nil, counts: [],
                grain: 86_400)
            ages.stay = try staying(rows - census.expired)
            ages.dependents = dependents
            return ages
        }
        let grain = try grain(of: time)
        let ends = try census.expired > 0 ? expiredEnds(of: time) : (nil, nil)
        var ages = AgeProfile(
            census: census, rows: rows, oldestExpired: ends.0, newestExpired: ends.1,
            next: try next(of: time),
            counts: try counts(of: time, grain), grain: grain)
        if condition.nullNeverExpires { ages.never = try count(condition.notGone + ["\(time.sql) IS NULL"]) }
        let past = try count(condition.notGone + condition.isPast)
        ages.stay = try staying(past - census.expired)
        if past > census.expired { ages.staying = try stayingCounts(of: time, grain) }
        ages.dependents = dependents
        return ages
    }

    private func count(_ terms: [String]) throws -> Int64 {
        try ask(condition.question("count(*)", where: terms)).first?[0].flatMap { Int64($0) } ?? 0
    }

    private func date(_ second: String?) -> Date? {
        second.flatMap(Double.init).map { Date(timeIntervalSince1970: $0) }
    }

    private func expiredEnds(of time: Condition.Time) throws -> (Date?, Date?) {
        let found = try ask(
            condition.question(
                "min(\(time.second)), max(\(time.second))", where: [condition.expired], joined: true)
        ).first
        return (date(found?[0]), date(found?[1]))
    }

    /// The oldest time that has not expired, of the rows that only their time keeps, or a keeper.
    private func next(of time: Condition.Time) throws -> Date? {
        // A row among the newest of its group may be none of them by then.
        let terms = [time.isPlausible, "NOT (\(time.isBefore(task.cutoff)))"] + condition.demandedAlone
        let found = try ask(
            condition.question(time.second, where: terms, " ORDER BY \(time.sql) LIMIT 1"))
        return date(found.first?[0])
    }

    // MARK: - Ages

    /// In seconds; as fine as the bars of a report may need.
    private func grain(of time: Condition.Time) throws -> Int64 {
        let found = try ask(
            condition.question(
                "min(\(time.second)), max(\(time.second))",
                where: [time.isPlausible, time.isBefore(task.future)])
        ).first
        guard let first = found?[0].flatMap({ Int64($0) }), let last = found?[1].flatMap({ Int64($0) }) else {
            return 86_400
        }
        switch last - first {
        case ..<(2 * 86_400): return 60
        case ..<(14 * 86_400): return 3_600
        default: return 86_400
        }
    }

    /// No stretch lies on both sides of the cutoff or of the run's start.
    private func counts(of time: Condition.Time, _ grain: Int64) throws -> [TimeCount] {
        let future = Int64(task.future.timeIntervalSince1970)
        let side = """
            CASE WHEN \(time.isBefore(task.cutoff)) THEN 0 WHEN \(time.second) >= \(future) THEN 2 ELSE 1 END
            """
        return try stretches(of: time, grain, where: condition.notGone + [time.isPlausible], and: ", \(side)")
    }

    private func stretches(
        of time: Condition.Time, _ grain: Int64, where place: [String], joined: Bool = false,
        and side: String = ""
    ) throws -> [TimeCount] {
        try ask(
            condition.question(
                "min(\(time.second)), count(*)", where: place, joined: joined,
                " GROUP BY floor(\(time.second) / \(grain))\(side) ORDER BY 1")
        ).compactMap { row in
            guard let start = date(row[0]), let rows = row[1].flatMap({ Int64($0) }) else { return nil }
            return TimeCount(start: start, rows: rows)
        }
    }

    // MARK: - What stays

    /// The rows before the cutoff that stay, by stretches of `grain` seconds.
    private func stayingCounts(of time: Condition.Time, _ grain: Int64) throws -> [TimeCount] {
        try stretches(
            of: time, grain,
            where: condition.notGone + condition.isPast + ["(\(condition.expired)) IS NOT TRUE"], joined: true
        )
    }

    /// The old rows that stay, by reason. `all` is how many there are.
    private func staying(_ all: Int64) throws -> ExemptRows {
        try condition.reasons.count(all) { firstReason in
            try ask(
                condition.question(
                    "\(firstReason), count(*)", where: condition.notGone + condition.isPast, joined: true,
                    " GROUP BY 1")
            ).map { ($0[0].flatMap { Int64($0) }, $0[1].flatMap { Int64($0) } ?? 0) }
        }
    }
}
