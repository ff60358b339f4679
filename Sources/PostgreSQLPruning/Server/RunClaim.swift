import Pruning
import Synchronization

/// The exclusive right of one run to prune a database, whatever host it runs on.
///
/// It is an advisory lock of an open transaction on a connection of its own. A lock of a session would behind a pooler be
/// given to two clients, and would stay.
final class RunClaim: StoreClaim {
    private let connection: Mutex<Connection?>
    private let place: String
    /// The server that granted it.
    let server: ServerIdentity?
    /// The database, as this process knows it.
    private let database: ClaimedDatabase

    /// Throws ``StoreErrorKind/busy``, naming the other run, when one has claimed the database, and when the server is a
    /// standby. For a run of this process, on another store in the database, it waits.
    init(_ address: Address, holder: String, _ control: RunControl) throws(StoreError) {
        let connection = try Connection(address.named(holder), control)
        place = address.place
        (server, database) = try connection.perform("claim the database") {
            // No timeout may end it: the run tests it before each batch. It must not keep a snapshot either, lest no dead row
            // can be vacuumed meanwhile, whatever isolation the role has by default.
            try connection.run(
                """
                BEGIN ISOLATION LEVEL READ COMMITTED READ ONLY; \
                \(TransactionKind.noTransactionTimeout(isLocal: true)); SET LOCAL idle_in_transaction_session_timeout = 0; \
                SET LOCAL statement_timeout = 0; SET LOCAL search_path = pg_catalog, pg_temp
                """)
            let facts = try connection.serverFacts()
            try connection.check(facts)
            try connection.refuseStandby(facts)
            let server = try ServerIdentity(connection.run(ServerIdentity.question))
            let database = ClaimedDatabase(
                holder: holder, system: server?.system ?? address.place, name: facts.database)
            while !Self.inForce.withLock({ $0.insert(database).inserted }) {
                guard control.stopReason == nil else { throw try Self.busy(connection) }
                control.pause(.milliseconds(50))
            }
            do {
                let isGranted = try connection.query("SELECT pg_try_advisory_xact_lock(\(Self.key))")
                guard isGranted.isTrue(0, 0) else { throw try Self.busy(connection) }
                return (server, database)
            } catch {
                _ = Self.inForce.withLock { $0.remove(database) }
                throw error
            }
        }
        self.connection = Mutex(connection)
    }

    /// A database that this process has claimed for a run. The name of a run is a process's, so a store of another name is
    /// no other run.
    private struct ClaimedDatabase: Hashable {
        let holder: String
        let system: String
        let name: String
    }

    private static let inForce = Mutex<Set<ClaimedDatabase>>([])

    private static func busy(_ connection: Connection) throws -> StoreError {
        StoreError(
            .busy, operation: "claim the database", place: connection.place,
            cause: "it is being pruned by \(try holder(in: connection) ?? "another run")",
            hint: "one run on a database at a time; the next run tries again")
    }

    /// Throws ``StoreErrorKind/busy`` if the claim was lost with its connection. Another run may have it by now.
    func check() throws(StoreError) {
        let error: StoreError? = connection.withLock { connection in
            guard let connection else { return nil }
            do throws(StoreError) {
                // With parameters, the statement's portal would keep its snapshot until the next one.
                try connection.perform("test the claim") { _ = try connection.run("SELECT 1") }
                return nil
            } catch {
                return error
            }
        }
        guard let error else { return }
        guard error.kind != .interrupted else { throw error }
        throw StoreError(
            .busy, operation: "test the claim", place: place,
            cause:
                "the connection that has the claim was lost (\(error.cause)), so another run may have begun",
            hint: "nothing more is deleted; the next run goes on")
    }

    /// Throws ``StoreErrorKind/busy`` if the worker's server is not the one that granted the claim: a claim there says
    /// nothing of another.
    func check(isOn other: ServerIdentity?) throws(StoreError) {
        guard let server, let other, server.isSamePrimary(as: other) else {
            throw StoreError(
                .busy, operation: "test the claim", place: place,
                cause: "the primary has changed since the run claimed the database",
                hint: "nothing more is deleted; the next run goes on")
        }
    }

    func release() {
        connection.withLock { connection in
            guard let claimed = connection else { return }
            // The server ends a closed connection's transaction some time later, and the next store of this process may wait.
            _ = try? claimed.run("ROLLBACK")
            claimed.close()
            connection = nil
            _ = Self.inForce.withLock { $0.remove(database) }
        }
    }

    deinit { release() }

    /// The run that has the lock, as its connection names itself.
    static func holder(in connection: Connection) throws -> String? {
        try connection.inquire {
            try connection.query(
                """
                SELECT coalesce(nullif(a.application_name, ''), 'another run') || coalesce(' on ' || a.client_addr::text, '') \
                FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid WHERE l.locktype = 'advisory' AND l.granted \
                AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database()) \
                AND l.objsubid = 1 AND l.classid = \(key >> 32) AND l.objid = \(key & 0xFFFF_FFFF)
                """
            ).text(0, 0)
        }
    }

    /// "pruned", as a number.
    private static let key: Int64 = 0x70_72_75_6E_65_64
}

extension Connection {
    /// Throws ``StoreErrorKind/busy`` on a standby, which grants advisory locks as well.
    func refuseStandby(_ facts: ServerFacts) throws(StoreError) {
        guard facts.isStandby else { return }
        throw StoreError(
            .busy, operation: "use the database", place: place,
            cause: "the server is a standby, which only reads",
            hint: "name the primary, or all hosts with target_session_attrs=primary in the url")
    }
}
