import FoundationEssentials
import Glibc
import Pruning
import Retention
import SQLite

/// Reads what the archive contains.
extension ArchiveFile {
    /// The contents of the archive: the latest run first, each run's rules by name. A run whose rows were all put back
    /// is listed with no rows until its batches expire.
    package func parts(_ control: RunControl) throws(StoreError) -> [ArchivedPart] {
        guard place.exists else { return [] }
        let rows = try place.read("list the archive", control) { db -> [Row] in
            if try ArchiveSchema.isUnfinished(db) { return [] }
            return try db.rows(
                """
                SELECT run_id, rule, store, "table", sum(\(Self.rowCount)), max(archived_at) FROM batch
                GROUP BY run_id, rule, store, "table" ORDER BY run_id DESC, rule
                """)
        }
        return rows.compactMap { row in
            guard let rule = Name(row[1].string), let store = Name(row[2].string) else { return nil }
            return ArchivedPart(
                runID: row[0].string, rule: rule, store: store, table: row[3].string, rows: row[4].integer,
                archivedAt: Date(timeIntervalSince1970: Double(row[5].integer)))
        }
    }

    /// SQL for the number of a batch's rows. What a damaged count says must not be too much to be added up.
    private static let rowCount = "max(0, min(row_count, 1000000000))"

    /// SQL that is true of the batches of a part. Its parameters are those of ``values(of:and:)``. An id alone is not
    /// enough: once the batch is gone, another may get its id.
    static let isOfPart = """
        run_id = :run AND rule = :rule AND store = :store AND "table" = :table
        """

    static func values(
        of part: ArchivedPart, and others: [String: DatabaseValue] = [:]
    ) -> [String: DatabaseValue] {
        others.merging([
            "run": .text(part.runID), "rule": .text(part.rule.description),
            "store": .text(part.store.description), "table": .text(part.table),
        ]) { $1 }
    }

    /// See ``RowArchive``.
    package func batches(
        of part: ArchivedPart, _ control: RunControl
    ) throws(StoreError) -> [(id: Int64, rows: Int64)] {
        try place.read("look for run \(part.runID)", control) { db in
            try db.rows(
                "SELECT id, \(Self.rowCount) FROM batch WHERE \(Self.isOfPart) AND row_count > 0 ORDER BY id",
                Self.values(of: part)
            ).map { ($0[0].integer, $0[1].integer) }
        }
    }

    /// See ``RowArchive``.
    package func batch(
        _ id: Int64, of part: ArchivedPart, _ control: RunControl
    ) throws(StoreError) -> ArchivedBatch? {
        try place.read("read an archived batch", control) { db in try batch(id, of: part, in: db) }
    }

    func batch(_ id: Int64, of part: ArchivedPart, in db: Database) throws -> ArchivedBatch? {
        let values = Self.values(of: part, and: ["id": .int64(id)])
        guard
            let row = try db.row(
                """
                SELECT columns, rows, row_count, has_place, checksum,
                    EXISTS (SELECT 1 FROM deletion WHERE run_id = :run AND rule = :rule)
                FROM batch WHERE id = :id AND \(Self.isOfPart)
                """, values)
        else { return nil }
        guard var rows = ArchiveHead.rows(row[0].string), case .blob(let bytes) = row[1],
            row[4]
                == .int64(ArchiveChecksum.batch(row[0].string, place: row[3], count: row[2], rows: bytes))
        else {
            throw StoreError(
                .damaged, operation: "read batch \(id)", place: path, cause: "its checksum does not match")
        }
        (rows.bytes, rows.count, rows.hasPlace) = (bytes, row[2].integer, row[3].integer != 0)
        let leases = try db.rows("SELECT places FROM lease WHERE batch = :id AND \(Self.isOfPart)", values)
        return ArchivedBatch(
            id: id, rows: rows, isDeleted: row[5].integer != 0, isInReturn: !leases.isEmpty,
            places: Places(in: leases.map { $0[0].blob }))
    }
}
