import FoundationEssentials
import Glibc
import Pruning
import Retention
import SQLite

/// Reads what the archive contains.
extension SQLiteArchive {
    /// A batch of rows in the archive.
    struct Batch {
        let id: Int64
        let head: ArchiveHead
        /// See ``ArchivedRows/hasPlace``.
        let hasPlace: Bool
        let rows: [[ArchivedValue]]
        /// Where earlier restores may have put rows of the batch.
        let places: Places
        /// Whether ``ArchiveWriter/noteDeleted()`` was recorded. If not, the run was killed, and the rows may still be
        /// in the store.
        let isDeleted: Bool
    }

    /// The contents of the archive: the latest run first, each run's rules by name. A run whose rows were all put back
    /// is listed with no rows until its batches expire.
    package func parts(_ control: RunControl) throws(StoreError) -> [ArchivedPart] {
        guard exists else { return [] }
        let rows = try read("list the archive", control) { db -> [Row] in
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

    /// The batches of `part` that have rows, in the order in which they were archived, and the number of rows of each.
    static func batches(of part: ArchivedPart, in db: Database) throws -> [(id: Int64, rows: Int64)] {
        try db.rows(
            "SELECT id, \(rowCount) FROM batch WHERE \(isOfPart) AND row_count > 0 ORDER BY id",
            values(of: part)
        ).map { ($0[0].integer, $0[1].integer) }
    }

    /// A batch of `part`; nil if it no longer exists. Throws ``StoreErrorKind/damaged`` if it is not as it
    /// was written. Rows of another kind of store are left out.
    func batch(_ id: Int64, of part: ArchivedPart, in db: Database) throws -> Batch? {
        guard let stored = try stored(id, of: part, in: db) else { return nil }
        let head = ArchiveHead(stored.rows)
        let places = "SELECT places FROM lease WHERE batch = :id AND \(Self.isOfPart)"
        let values = Self.values(of: part, and: ["id": .int64(id)])
        var rows: [[ArchivedValue]] = []
        if head.encoding == .sqlite {
            guard Set(head.columns.map(\.comparedName)).count == head.columns.count,
                let decoded = try? RowEncoding.rows(in: stored.rows.bytes, columns: head.width),
                decoded.count == stored.rows.count
            else { throw damage(of: id) }
            rows = decoded
        }
        return Batch(
            id: id, head: head, hasPlace: stored.rows.hasPlace, rows: rows,
            places: Places(in: try db.rows(places, values).map { $0[0] }), isDeleted: stored.isDeleted)
    }

    /// The batch as it is stored; nil if it no longer exists.
    private func stored(_ id: Int64, of part: ArchivedPart, in db: Database) throws -> ArchivedBatch? {
        let values = Self.values(of: part, and: ["id": .int64(id)])
        guard
            let row = try db.row(
                """
                SELECT columns, rows, row_count, has_place, checksum,
                    EXISTS (SELECT 1 FROM deletion WHERE run_id = :run AND rule = :rule),
                    EXISTS (SELECT 1 FROM lease WHERE batch = :id AND \(Self.isOfPart))
                FROM batch WHERE id = :id AND \(Self.isOfPart)
                """, values)
        else { return nil }
        guard let head = ArchiveHead(row[0].string), case .blob(let bytes) = row[1],
            row[4]
                == .int64(ArchiveChecksum.batch(row[0].string, place: row[3], count: row[2], rows: bytes))
        else { throw damage(of: id) }
        var rows = ArchivedRows(
            columns: head.columns, action: head.action, hasPlace: row[3].integer != 0, bytes: bytes,
            count: row[2].integer, encoding: head.encoding)
        (rows.tombstone, rows.witness) = (head.tombstone, head.witness)
        return ArchivedBatch(
            id: id, rows: rows, isDeleted: row[5].integer != 0, isInReturn: row[6].integer != 0)
    }

    private func damage(of id: Int64) -> StoreError {
        StoreError(
            .damaged, operation: "read batch \(id)", place: path, cause: "its checksum does not match")
    }

    // MARK: - For other kinds of stores

    /// See ``RowArchive``.
    package func batches(
        of part: ArchivedPart, _ control: RunControl
    ) throws(StoreError) -> [(id: Int64, rows: Int64)] {
        try read("look for run \(part.runID)", control) { try Self.batches(of: part, in: $0) }
    }

    /// See ``RowArchive``.
    package func batch(
        _ id: Int64, of part: ArchivedPart, _ control: RunControl
    ) throws(StoreError) -> ArchivedBatch? {
        try read("read an archived batch", control) { try stored(id, of: part, in: $0) }
    }

    /// See ``RowArchive``.
    package func openReturn(
        of part: ArchivedPart, _ control: RunControl
    ) throws(StoreError) -> any ArchiveReturn {
        SQLiteArchiveReturn(part, in: try SQLiteArchiveWriter(archive: self, control: control))
    }
}

extension StoreError {
    /// Whether the error reports damage to `archive`, and not to the store that rows are put back into.
    func isOfArchive(_ archive: SQLiteArchive) -> Bool { kind == .damaged && place == archive.path }
}
