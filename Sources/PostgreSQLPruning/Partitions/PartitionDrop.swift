import Pruning
import RuleEngine

/// Drops one partition: detaches it while the app works on, counts its rows, and drops the table. A chunk of a hypertable is
/// not detached.
struct PartitionDrop {
    let leaf: Relation
    let relation: Relation
    let connection: Connection
    let lockTime: LockTime
    /// SQL that is true of a row that has expired. It knows the rows by the name of ``relation``.
    let isExpired: String

    /// What becomes of the last transaction is up to `commit`.
    ///
    /// Throws ``StoreErrorKind/busy`` if others use the table for too long. Then the next attempt finishes what was begun.
    ///
    /// DETACH CONCURRENTLY waits for every transaction that uses the table, and lets new ones in. Until it is done, the
    /// partition's rows are invisible, and inserts of such rows are refused.
    func run(_ commit: (DroppedRows) throws -> Void) throws -> Int64 {
        if relation.isHypertable { return try drop(commit) }
        try refuseBesideLongTransaction()
        let state = try state()
        if state != .detached { try detach(isPending: state == .pending) }
        return try drop(commit)
    }

    private enum State { case attached, pending, detached }

    private func state() throws -> State {
        try connection.inquire {
            let found = try connection.query(
                "SELECT inhdetachpending FROM pg_inherits WHERE inhrelid = $1", ["\(leaf.oid)"])
            return found.count == 0 ? .detached : found.isTrue(0, 0) ? .pending : .attached
        }
    }

    private func refuseBesideLongTransaction() throws {
        let found = try connection.inquire {
            try connection.query(
                """
                SELECT pid, extract(epoch FROM clock_timestamp() - xact_start)::int FROM pg_stat_activity \
                WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid() \
                AND xact_start < clock_timestamp() - interval '1 second' AND application_name NOT LIKE 'pruned %' \
                ORDER BY xact_start LIMIT 1
                """)
        }
        guard found.count > 0 else { return }
        throw StoreError(
            .busy, operation: "detach partition \(leaf.description)", place: connection.place,
            cause:
                "the transaction of process \(found.text(0, 0) ?? "") has been open for \(found.text(0, 1) ?? "") s, and a"
                + " partition is detached only when all end",
            hint: "the next run tries again")
    }

    private func detach(isPending: Bool) throws {
        let detach = "ALTER TABLE \(relation.sql) DETACH PARTITION \(leaf.sql)"
        if !isPending {
            try comment(LeftPartitions.comment(on: leaf, of: relation).quotedLiteral)
            let answer = connection.attempt("\(detach) CONCURRENTLY", within: Self.longestDetach)
            guard case .failure(let error) = answer else { return }
            guard connection.isOpen else { throw error as any Error }
        }
        // What was interrupted leaves rows invisible and inserts refused; so a stop waits for this.
        let answer = connection.attempt(
            "\(detach) FINALIZE", isUnstoppable: true, within: Self.longestDetach)
        if case .failure(let error) = answer {
            // A partition that was not detached must not be taken for one later on.
            if connection.isOpen, try state() == .attached { try comment("NULL") }
            throw error as any Error
        }
    }

    private func comment(_ text: String) throws {
        try connection.transaction(.writing(lockTimeout: lockTime.usual, statementTimeout: lockTime.longest))
        {
            _ = try connection.run("COMMENT ON TABLE \(leaf.sql) IS \(text)")
        }
    }

    private static let longestDetach = Duration.seconds(4)

    private func drop(_ commit: (DroppedRows) throws -> Void) throws -> Int64 {
        try connection.run(
            TransactionKind.writing(lockTimeout: lockTime.usual, statementTimeout: nil).begin)
        let dropped: DroppedRows
        do { dropped = try dropUncommitted() } catch {
            connection.rollBack()
            throw (error as? SchemaMismatch).map { mismatch($0) } ?? error
        }
        try commit(dropped)
        return dropped.rows
    }

    private func mismatch(_ mismatch: SchemaMismatch) -> any Error {
        StoreError(
            .schema, operation: "drop partition \(leaf.description)", place: connection.place,
            cause: mismatch.cause, hint: mismatch.hint)
    }

    private func dropUncommitted() throws -> DroppedRows {
        try connection.run("LOCK TABLE \(leaf.sql) IN ACCESS EXCLUSIVE MODE")
        let leafFound = try connection.query(
            "SELECT NOT relispartition FROM pg_class WHERE oid = \(leaf.sql.quotedLiteral)::regclass AND oid = $1",
            ["\(leaf.oid)"])
        guard leafFound.count == 1, leafFound.isTrue(0, 0) else {
            throw StoreError(
                .schema, operation: "drop partition \(leaf.description)", place: connection.place,
                cause: "another table has its name now",
                hint: "nothing was dropped; the next run looks again")
        }
        // Nobody can change the table any more. To plan a count may run code that somebody put on it before.
        try ReachedCode.checkReading(leaf, in: connection)
        if relation.isHypertable {
            try OtherStorage.refuse([leaf], areLeaves: true, in: connection)
        }
        let found = try connection.query(
            """
            SELECT count(*), count(*) FILTER (WHERE (\(isExpired)) IS NOT TRUE), pg_current_xact_id() \
            FROM ONLY \(leaf.sql) AS \(relation.alias)
            """)
        // Detached, it takes rows of any time; and the rule may keep rows for longer than it did then.
        guard found.integer(0, 1) == 0, let rows = found.integer(0, 0) else {
            throw StoreError(
                .unsafe, operation: "drop partition \(leaf.description)", place: connection.place,
                cause: "\(found.text(0, 1) ?? "some") of its rows have not expired",
                hint: relation.isHypertable
                    ? "nothing was dropped; the next run looks again"
                    : "it was detached to be dropped; attach it again, or take its comment away to keep it")
        }
        if relation.isHypertable {
            _ = try connection.query(
                "SELECT _timescaledb_functions.drop_chunk($1::oid::regclass)", ["\(leaf.oid)"])
        } else {
            try connection.run("DROP TABLE \(leaf.sql)")
        }
        // The schema's name may have gone to another one since.
        let isGone = try connection.query(
            "SELECT NOT EXISTS (SELECT FROM pg_class WHERE oid = $1)", ["\(leaf.oid)"])
        guard isGone.isTrue(0, 0) else { throw SchemaChanged() }
        return DroppedRows(rows: rows, transaction: found.text(0, 2))
    }
}

/// The rows that were in a dropped table, and the transaction that dropped it.
struct DroppedRows {
    let rows: Int64
    let transaction: String?
}

extension Connection {
    /// Runs a statement that cannot be part of a transaction, and cancels it when it takes longer than `time`.
    fileprivate func attempt(
        _ sql: String, isUnstoppable: Bool = false, within time: Duration
    ) -> Result<Void, ServerError> {
        do throws(ServerError) {
            try run(sql, isUnstoppable: isUnstoppable, within: time)
            return .success(())
        } catch {
            return .failure(error)
        }
    }
}
