import Pruning
import Synchronization

/// The exclusive right of one run to prune a database, whatever host it runs on: a lock by name on a connection of its own. It
/// is not replicated.
final class RunClaim: StoreClaim {
    private let connection: Mutex<Connection?>
    private let name: String
    private let place: String

    /// Throws ``StoreErrorKind/busy``, naming the other run, when one has claimed the database, and when the server only reads.
    init(_ address: Address, _ control: RunControl) throws(StoreError) {
        let connection = try Connection(address, control)
        place = address.place
        name = try connection.perform("claim the database") {
            let facts = try ServerFacts(of: connection)
            try facts.check(place: address.place)
            try facts.refuseReplica(place: address.place)
            let name = try Self.name(in: connection)
            guard try connection.query("SELECT GET_LOCK(\(name), 0)").isTrue(0, 0) else {
                throw StoreError(
                    .busy, operation: "claim the database", place: address.place,
                    cause: "it is being pruned by \(try Self.holder(in: connection) ?? "another run")",
                    hint: "one run on a database at a time; the next run tries again")
            }
            return name
        }
        self.connection = Mutex(connection)
    }

    /// The name of the lock as SQL. It may have 64 characters, as the name of a database may.
    private static func name(in connection: Connection) throws(ServerError) -> String {
        let database = connection.address.database
        guard database.count > 50 else { return "pruned:\(database)".quotedLiteral }
        let digest = try connection.query("SELECT MD5(\(database.quotedLiteral))").text(0, 0) ?? ""
        return "pruned:\(digest)".quotedLiteral
    }

    /// How many statements it has sent.
    var sent: Int64 { connection.withLock { $0?.sent ?? 0 } }

    /// Throws ``StoreErrorKind/busy`` if the claim was lost with its connection. Another run may have it by now.
    func check() throws(StoreError) {
        let error: StoreError? = connection.withLock { connection in
            guard let connection else { return nil }
            do throws(StoreError) {
                let isOwn = try connection.perform("test the claim") {
                    try connection.query("SELECT IS_USED_LOCK(\(self.name)) = CONNECTION_ID()").isTrue(0, 0)
                }
                return isOwn ? nil : lost("somebody has ended it")
            } catch {
                return error.kind == .interrupted ? error : lost(error.cause)
            }
        }
        if let error { throw error }
    }

    private func lost(_ reason: String) -> StoreError {
        StoreError(
            .busy, operation: "test the claim", place: place,
            cause: "the connection that has the claim was lost (\(reason)), so another run may have begun",
            hint: "nothing more is deleted; the next run goes on")
    }

    func release() {
        connection.withLock { connection in
            _ = try? connection?.query("SELECT RELEASE_LOCK(\(self.name))")
            connection?.close()
            connection = nil
        }
    }

    deinit { release() }

    /// The run that has the lock, as far as the server tells.
    static func holder(in connection: Connection) throws -> String? {
        let name = try name(in: connection)
        return try connection.query("SELECT IS_USED_LOCK(\(name))").text(0, 0).map {
            "another run (connection \($0))"
        }
    }
}
