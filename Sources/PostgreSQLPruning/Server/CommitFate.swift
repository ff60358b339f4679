/// What became of a transaction whose COMMIT had no answer.
enum CommitFate: Equatable {
    case committed
    case rolledBack
    /// The server is not the one of before, or does not know the transaction any more.
    case unknown
}

/// The server, as far as numbers of transactions mean the same.
///
/// After a promotion the next timeline gives them again; `pg_control_checkpoint` learns of that one minutes later, but the
/// name of the log's file has it at once. After a crash the server gives those again whose log was lost; it then forgets
/// its statistics, and says since when it has new ones.
struct ServerIdentity: Equatable {
    let system: String
    let timeline: String
    let statistics: String

    /// SQL of one row with the three.
    static let question = """
        SELECT (SELECT system_identifier FROM pg_control_system()), \
        CASE WHEN NOT pg_is_in_recovery() THEN left(pg_walfile_name(pg_current_wal_lsn()), 8) END, \
        (SELECT stats_reset FROM pg_stat_bgwriter)
        """

    /// Nil of a standby, which commits nothing.
    init?(_ found: QueryResult?) {
        guard let found, found.count == 1, let system = found.text(0, 0), let timeline = found.text(0, 1)
        else { return nil }
        (self.system, self.timeline, statistics) = (system, timeline, found.text(0, 2) ?? "")
    }

    /// Whether it is the same primary, perhaps after a crash.
    func isSamePrimary(as other: ServerIdentity) -> Bool {
        system == other.system && timeline == other.timeline
    }
}

extension Connection {
    /// Asks what became of `transaction` on the server that was `identity` when it began. While it is in progress, it is
    /// asked again, until `end` by the monotonic clock.
    func fate(of transaction: String, on identity: ServerIdentity, until end: Duration) throws -> CommitFate {
        while true {
            let status: String? = try inquire {
                guard try ServerIdentity(run(ServerIdentity.question)) == identity else { return nil }
                return try query("SELECT pg_xact_status($1::xid8)", [transaction]).text(0, 0)
            }
            switch status {
            case "committed": return .committed
            case "aborted": return .rolledBack
            case "in progress":
                guard control.monotonic() < end else { return .unknown }
                control.pause(.milliseconds(100))
            default: return .unknown
            }
        }
    }
}
