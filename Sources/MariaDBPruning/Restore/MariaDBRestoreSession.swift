import Archive
import Pruning
import Retention

/// A MariaDB database, open to have archived rows put back.
final class MariaDBRestoreSession: RestoreSession {
    private let part: ArchivedPart
    private let access: StoreAccess
    private let connection: Connection
    private let claim: RunClaim?
    private(set) var isInDoubt = false

    let format = StoreFormat.mariadb
    var place: String { access.address.place }

    init(_ part: ArchivedPart, access: StoreAccess, claim: RunClaim?, _ control: RunControl)
        throws(StoreError)
    {
        (self.part, self.access, self.claim) = (part, access, claim)
        let connection = try Connection(access.address, control)
        self.connection = connection
        let facts = try connection.perform("look at the server") { try ServerFacts(of: connection) }
        try facts.check(place: access.address.place)
        try facts.refuseReplica(place: access.address.place)
    }

    func write(
        _ rows: Range<Int>, of batch: RestoreBatch,
        _ put: (Range<Int>, _ target: () throws -> RestoreTable) throws -> RestoredRows,
        lease: (RestoredRows) throws -> Void
    ) throws(StoreError) -> (rows: RestoredRows, work: BatchWork) {
        try claim?.check()
        let (connection, begin) = (connection, access.monotonic())
        let outcome = try connection.perform("put rows back into \(part.table)") {
            try connection.begin(.writing(longest: access.lockTime.longest))
            do {
                let outcome = try put(rows) {
                    try access.restoreTable(part, for: batch.archived.rows, in: connection)
                }
                try lease(outcome)
                isInDoubt = false
                do throws(ServerError) {
                    try connection.query("COMMIT", isUnstoppable: true)
                } catch {
                    // The rows stay in the archive, too; their keys tell whether they are back.
                    isInDoubt = error.isConnectionLost
                    throw error
                }
                return outcome
            } catch {
                connection.rollBack()
                throw error
            }
        }
        return (
            outcome,
            BatchWork(
                visited: outcome.count, changed: Int64(outcome.restored.count),
                lockTime: access.monotonic() - begin, isAlone: false, isLast: false)
        )
    }

    func othersCommits() throws(StoreError) -> Int { 0 }
    func maintain() throws(StoreError) {}
    func close() { connection.close() }
}

/// A MariaDB database, open to see what a restore would do.
struct MariaDBRestoreLook: RestoreLook {
    let part: ArchivedPart
    let view: MariaDBView

    let format = StoreFormat.mariadb
    var place: String { view.access.address.place }

    func look<Result>(
        at batch: RestoreBatch, _ body: (_ target: () throws -> RestoreTable) throws -> Result
    ) throws(StoreError) -> Result {
        try view.read("look for rows of \(part.table)") { connection in
            try body { try view.access.restoreTable(part, for: batch.archived.rows, in: connection) }
        }
    }
}

extension StoreAccess {
    /// The table of a part, inside of a transaction, behind the store's gate.
    fileprivate func restoreTable(
        _ part: ArchivedPart, for rows: ArchivedRows, in connection: Connection
    ) throws -> RestoreTable {
        let use = SchemaUse(restoring: part.table, action: rows.action, tombstones: nil)
        _ = try passGate(for: [use], in: connection)
        return try RestoreTable(part, for: rows, allowing: gate?.triggers ?? [], in: connection)
    }
}
