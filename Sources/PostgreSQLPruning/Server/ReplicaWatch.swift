import Pruning

/// Watches how far the replicas are behind, and waits for them.
///
/// The lag of a replica is the time since the log had the position that it has replayed. The server's own figures are those
/// of the last answer, and a replica that has stopped sends none.
struct ReplicaWatch {
    /// How far a replica may be behind; nil if nobody waits.
    let most: Duration?
    /// Positions of the log, and when it had them, oldest first.
    private var positions: [(position: Int64, at: Duration)] = []
    private var nextLook = Duration.zero

    /// A run does not wait longer for a replica.
    private let longestWait: Duration

    init(most: Duration?, longestWait: Duration) { (self.most, self.longestWait) = (most, longestWait) }

    /// Throws if there are replicas, and the role may not see how far they are behind: their rows are then empty, as if
    /// nobody were.
    func checkSight(of facts: ServerFacts, in connection: Connection) throws {
        guard most != nil else { return }
        let hidden = try connection.query(
            "SELECT coalesce(min(nullif(application_name, '')), 'a replica') FROM pg_stat_replication WHERE state IS NULL"
                + " HAVING count(*) > 0")
        guard let name = hidden.count > 0 ? hidden.text(0, 0) : nil else { return }
        throw StoreError(
            .schema, operation: "look at the replicas", place: connection.place,
            cause: "\(facts.role) may not see how far \(name) is behind, and max_lag has a run wait for it",
            hint: "GRANT pg_read_all_stats TO \(facts.role.quotedIdentifier)")
    }

    /// Waits while a replica is further behind than it may be. Throws ``StoreErrorKind/busy`` when that takes too long.
    mutating func wait(on connection: Connection) throws(StoreError) {
        guard let most, connection.control.monotonic() >= nextLook else { return }
        let begin = connection.control.monotonic()
        while connection.control.stopReason == nil {
            let lags = try connection.perform("look at the replicas") { try look(connection) }
            let now = connection.control.monotonic()
            guard let worst = lags.max(by: { $0.lag < $1.lag }), worst.lag > most else {
                nextLook = now + min(most / 10, .milliseconds(200))
                return
            }
            guard now - begin < longestWait else {
                throw StoreError(
                    .busy, operation: "wait for the replicas", place: connection.place,
                    cause: "\(worst.name) is \(Int(worst.lag / .seconds(1))) s behind",
                    hint: "look at the replica, or raise max_lag; the next run goes on")
            }
            connection.control.pause(.milliseconds(50))
        }
    }

    private mutating func look(_ connection: Connection) throws -> [(name: String, lag: Duration)] {
        let found = try connection.inquire {
            try connection.query(
                """
                SELECT (pg_current_wal_flush_lsn() - '0/0'::pg_lsn)::bigint, coalesce(application_name, 'a replica'), \
                (replay_lsn - '0/0'::pg_lsn)::bigint FROM (SELECT) one LEFT JOIN pg_stat_replication ON true
                """)
        }
        let now = connection.control.monotonic()
        if let position = found.integer(0, 0), positions.last?.position != position {
            positions.append((position, now))
        }
        let replayed = (0..<found.count).compactMap { row in
            found.integer(row, 2).map { (found.text(row, 1) ?? "", $0) }
        }
        let lags = replayed.map { name, position in
            // The first position that it lacks is the one since which it is behind.
            (name, positions.first { $0.position > position }.map { now - $0.at } ?? .zero)
        }
        if let least = replayed.map(\.1).min() {
            let newest = positions.last?.position
            positions.removeAll { $0.position <= least && $0.position != newest }
        } else {
            positions = Array(positions.suffix(1))
        }
        return lags
    }
}
