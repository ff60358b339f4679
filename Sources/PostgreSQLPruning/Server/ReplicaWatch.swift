import Pruning
import Retention
import TerminalText

/// Watches how far the replicas are behind, and how much log is kept for those that are away.
///
/// The lag of a replica is the time since the log had the position that it has replayed. The server's own figures are those
/// of the last answer, and a replica that has stopped sends none.
struct ReplicaWatch {
    /// How far a replica may be behind; nil if nobody waits.
    let most: Duration?
    /// How much log a slot may keep; nil if nobody waits.
    let mostLog: ByteCount?
    /// Positions of the log, and when it had them, oldest first.
    private var positions: [(position: Int64, at: Duration)] = []
    private var nextLook = Duration.zero

    init(most: Duration?, mostLog: ByteCount? = nil) { (self.most, self.mostLog) = (most, mostLog) }

    /// Throws if the role may not read what slots keep, or if there are replicas, and it may not see how far they are behind:
    /// their rows are then empty, as if nobody were.
    func checkSight(of facts: ServerFacts, in connection: Connection) throws {
        if mostLog != nil { try checkSightOfSlots(by: facts.role, in: connection) }
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

    private func checkSightOfSlots(by role: String, in connection: Connection) throws {
        let maySee = try connection.query(
            """
            SELECT has_table_privilege('pg_replication_slots', 'SELECT') \
            AND has_function_privilege('pg_get_replication_slots()', 'EXECUTE')
            """)
        guard !maySee.isTrue(0, 0) else { return }
        throw StoreError(
            .schema, operation: "look at the replication slots", place: connection.place,
            cause: "\(role) may not see how much log they keep, and max_slot_wal has a run wait for them",
            hint:
                "GRANT SELECT ON pg_replication_slots TO \(role.quotedIdentifier); GRANT EXECUTE ON FUNCTION"
                + " pg_get_replication_slots() TO \(role.quotedIdentifier)")
    }

    /// Which replica is further behind than it may be, or which slot keeps more log; nil if none, or if a look a moment ago
    /// found none.
    mutating func burden(on connection: Connection) throws(StoreError) -> StoreError? {
        guard most != nil || mostLog != nil, connection.control.monotonic() >= nextLook else { return nil }
        let reason = try connection.perform("look at the replicas and slots") {
            try laggard(connection) ?? connection.inquire { try fullSlot(connection) }
        }
        guard let reason else {
            nextLook = connection.control.monotonic() + min((most ?? .seconds(2)) / 10, .milliseconds(200))
            return nil
        }
        return StoreError(
            .busy, operation: "delete rows beside the replicas", place: connection.place,
            cause: reason.cause, hint: reason.hint + "; the next run goes on")
    }

    /// What a run that began now would wait for, in one line; nil if that is nothing. How far replicas are behind is known
    /// only after a while.
    func remark(in connection: Connection) throws -> String? {
        try fullSlot(connection).map { "a run waits: \($0.cause); \($0.hint)" }
    }

    private mutating func laggard(_ connection: Connection) throws -> (cause: String, hint: String)? {
        guard let most, let worst = try look(connection).max(by: { $0.lag < $1.lag }), worst.lag > most else {
            return nil
        }
        return (
            "\(worst.name) is \(Int(worst.lag / .seconds(1))) s behind",
            "look at the replica, or raise max_lag"
        )
    }

    /// A slot that was given up keeps no log, whatever its position says.
    private func fullSlot(_ connection: Connection) throws -> (cause: String, hint: String)? {
        guard let mostLog else { return nil }
        let found = try connection.query(
            """
            SELECT slot_name, (pg_current_wal_lsn() - restart_lsn)::bigint FROM pg_replication_slots \
            WHERE restart_lsn IS NOT NULL AND wal_status IS DISTINCT FROM 'lost' ORDER BY restart_lsn LIMIT 1
            """)
        guard let kept = found.count > 0 ? found.integer(0, 1) : nil, kept > mostLog.bytes else { return nil }
        let slot = found.text(0, 0) ?? ""
        return (
            "slot \(slot) keeps \(ByteCount(kept).rounded) of log, and max_slot_wal is \(mostLog)",
            "start what reads the slot, or drop it: SELECT pg_drop_replication_slot(\(slot.quotedLiteral)); or raise"
                + " max_slot_wal"
        )
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
