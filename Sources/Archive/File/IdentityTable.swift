import Pruning
import SQLite

/// The identities of archived rows: for each batch one of eight bytes for each row, in the order of the rows. A row that
/// has none, or whose identity was taken out, has ``RowIdentity/none``.
enum IdentityTable {
    /// Stores the identities of a batch; does nothing if there are none.
    static func add(
        _ rows: ArchivedRows, to batch: Int64, of task: PruneTask, in run: RunID, _ db: Database
    ) throws {
        guard let kind = rows.identityKind else { return }
        let hashes = FingerprintEncoding.bytes(rows.identities)
        try db.execute(
            """
            INSERT INTO identity (batch, run_id, rule, store, "table", kind, hashes, checksum)
            VALUES (:batch, :run, :rule, :store, lower(:table), :kind, :hashes, :checksum)
            """,
            [
                "batch": .int64(batch), "run": .text(run.description),
                "rule": .text(task.rule.name.description), "store": .text(task.rule.store.description),
                "table": .text(task.rule.table), "kind": .int64(Int64(bitPattern: kind)),
                "hashes": .blob(hashes), "checksum": checksum(of: hashes),
            ])
    }

    /// Replaces the identities of a batch of the run. Does nothing if the batch has expired.
    static func set(_ hashes: [UInt8], of batch: Int64, in run: String, _ db: Database) throws {
        try db.execute(
            "UPDATE identity SET hashes = :hashes, checksum = :checksum WHERE batch = :batch AND run_id = :run",
            [
                "hashes": .blob(hashes), "checksum": checksum(of: hashes), "batch": .int64(batch),
                "run": .text(run),
            ])
    }

    /// Drops the identities of the rows at `positions` of a batch that had `rows` rows. The other rows move up.
    static func drop(
        _ positions: Set<Int>, of batch: Int64, rows: Int, in run: String, _ db: Database
    ) throws {
        let found = try db.row(
            "SELECT hashes, checksum FROM identity WHERE batch = :batch AND run_id = :run",
            ["batch": .int64(batch), "run": .text(run)])
        // If they are damaged, they must stay so: what came back is then unknown.
        guard let found, case .blob(let hashes) = found[0], isWhole(hashes, found[1]),
            hashes.count == rows * width
        else { return }
        let left = (0..<rows).filter { !positions.contains($0) }
        try set(left.flatMap { hashes[$0 * width..<($0 + 1) * width] }, of: batch, in: run, db)
    }

    /// The number of bytes of an identity.
    static let width = 8

    /// Whether `hashes` are as they were written.
    static func isWhole(_ hashes: [UInt8], _ checksum: DatabaseValue) -> Bool {
        hashes.count % width == 0 && checksum == self.checksum(of: hashes)
    }

    private static func checksum(of hashes: [UInt8]) -> DatabaseValue {
        .int64(Int64(bitPattern: XXHash64.hash(hashes)))
    }
}
