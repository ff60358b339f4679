import Archive
import Pruning
import Retention

/// A PostgreSQL database, open to have archived rows put back.
final class PostgreSQLRestoreSession: RestoreSession {
    private let part: ArchivedPart
    private let access: StoreAccess
    private let connection: Connection
    private let control: RunControl
    private let claim: RunClaim?
    private let server: ServerIdentity?
    private let isPooled: Bool
    private var replicas: ReplicaWatch
    private(set) var isInDoubt = false
    /// The table for a batch.
    private var known: (batch: Int64, table: Result<RestoreTable, NoTarget>)?
    /// The number of tables so far, which names their statements.
    private var tables = 0
    /// How often this restore has inserted rows that no key tells apart.
    private let inserted = InsertedRows()

    let format = StoreFormat.postgresql
    var place: String { access.address.place }

    init(
        _ part: ArchivedPart, access: StoreAccess, claim: RunClaim?, _ control: RunControl
    ) throws(StoreError) {
        (self.part, self.access, self.claim, self.control) = (part, access, claim, control)
        let connection = try Connection(access.address, control)
        self.connection = connection
        let (facts, server) = try connection.perform("look at the server") {
            try connection.transaction(.reading) {
                (try connection.serverFacts(), try ServerIdentity(connection.run(ServerIdentity.question)))
            }
        }
        try connection.check(facts)
        try connection.refuseStandby(facts)
        try claim?.check(isOn: server)
        self.server = server
        isPooled = facts.processID != connection.processID
        replicas = access.replicas
    }

    private var transaction: TransactionKind {
        var kind = TransactionKind.writing(
            lockTimeout: access.lockTime.usual, statementTimeout: access.lockTime.longest)
        // What would be checked at the end is checked row by row.
        kind.settings = "SET CONSTRAINTS ALL IMMEDIATE"
        return kind
    }

    /// If the database refuses a row, its transaction is repeated with a savepoint for each.
    func write(
        _ rows: Range<Int>, of batch: RestoreBatch,
        _ put: (Range<Int>, _ target: () throws -> RestoreTable) throws -> RestoredRows,
        lease: (RestoredRows) throws -> Void
    ) throws(StoreError) -> (rows: RestoredRows, work: BatchWork) {
        try claim?.check()
        let connection = connection
        let found = try table(for: batch)
        let table = try? found.get()
        let begin = access.monotonic()
        let outcome = try connection.perform("put rows back into \(part.table)") {
            do {
                table?.hasSavepoints = false
                return try write(rows, into: found, put, lease)
            } catch let error as ServerError where error.isOfRow {
                table?.hasSavepoints = true
                return try write(rows, into: found, put, lease)
            }
        }
        if let table, table.isKeyless {
            for position in outcome.restored { table.inserted.rows[batch.rows[position], default: 0] += 1 }
        }
        return (
            outcome,
            BatchWork(
                visited: outcome.count, changed: Int64(outcome.restored.count),
                lockTime: access.monotonic() - begin, isAlone: true, isLast: false)
        )
    }

    private func table(for batch: RestoreBatch) throws(StoreError) -> Result<RestoreTable, NoTarget> {
        if let known, known.batch == batch.archived.id { return known.table }
        let found = try connection.perform("look at \(part.table)") {
            try connection.transaction(.snapshot) {
                do {
                    return Result<RestoreTable, NoTarget>.success(
                        try access.restoreTable(part, for: batch.archived.rows, in: connection))
                } catch let none as NoTarget {
                    return .failure(none)
                }
            }
        }
        tables += 1
        if let table = try? found.get() {
            table.inserted = inserted
            table.prepared = isPooled ? nil : "pruned restore \(tables)"
        }
        known = (batch.archived.id, found)
        return found
    }

    private func write(
        _ rows: Range<Int>, into table: Result<RestoreTable, NoTarget>,
        _ put: (Range<Int>, _ target: () throws -> RestoreTable) throws -> RestoredRows,
        _ lease: (RestoredRows) throws -> Void
    ) throws -> RestoredRows {
        let outcome: RestoredRows
        let number: String?
        do {
            if case .success(let table) = table {
                try table.begin(transaction, isPrepared: !isPooled)
            } else {
                try connection.run(transaction.begin)
            }
            outcome = try put(rows, table.get)
            // Even if no row was put back: a trigger of a statement runs for none as well.
            if case .success(let table) = table { try table.watch.check(in: connection) }
            number = try connection.query("SELECT pg_current_xact_id_if_assigned()").text(0, 0)
            try lease(outcome)
        } catch {
            connection.rollBack()
            throw error
        }
        try commit(number, of: outcome.restored.count)
        return outcome
    }

    /// Commits. If the answer is lost, asks the server what became of the transaction, if it changed anything.
    private func commit(_ transaction: String?, of rows: Int) throws {
        isInDoubt = false
        guard case .failure(let lost) = connection.commit() else { return }
        guard lost.isConnectionLost, let transaction else { throw lost }
        switch access.fate(of: transaction, on: server, control) {
        case .committed: return
        case .rolledBack: throw lost
        case .unknown:
            isInDoubt = true
            throw StoreError(
                .other, operation: "commit a batch", place: access.address.place,
                cause:
                    "the connection was lost (\(lost.message)), and it is unknown whether the last batch was committed",
                hint: "its \(rows) rows are not in the count, but may be back; a repeated restore finds them")
        }
    }

    /// Nobody waits for a lock of the whole store, so a pause is never cut short.
    func othersCommits() throws(StoreError) -> Int { 0 }

    func burden() throws(StoreError) -> StoreError? { try replicas.burden(on: connection) }

    func maintain() throws(StoreError) {}

    func close() { connection.close() }
}

/// A PostgreSQL database, open to see what a restore would do.
struct PostgreSQLRestoreLook: RestoreLook {
    let part: ArchivedPart
    let view: PostgreSQLView

    let format = StoreFormat.postgresql
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
        let use = SchemaUse(
            restoring: part.table, action: rows.action, tombstones: rows.tombstone?.table)
        _ = try passGate(for: [use], in: connection)
        return try RestoreTable(part, for: rows, allowing: gate?.triggers ?? [], in: connection)
    }
}
