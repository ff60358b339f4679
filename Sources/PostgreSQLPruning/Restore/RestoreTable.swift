import Archive
import Pruning
import Retention
import RuleEngine

/// The current state of the table of a database into which archived rows are to be put.
final class RestoreTable: RestoreTarget {
    private let connection: Connection
    let relation: Relation
    let columns: [Relation.Column]
    /// What identifies a row, for its lease.
    let key: RowKey
    /// Nil if the rows were deleted.
    let marks: MarkRemoval?
    /// Nil if there are no tombstones, or nothing is left of them.
    let tombstones: TombstoneRemoval?
    /// Tells whether all this is still so.
    let watch: SchemaWatch
    private let locks: TableLocks
    /// Whether a unique index or an exclusion constraint can be checked at the end, which ON CONFLICT cannot wait for.
    private let isDeferrable: Bool
    /// Whether nothing tells a row that is put back from an equal one.
    var isKeyless: Bool { marks == nil && relation.primaryKey.isEmpty }
    /// Under which name ``statement`` is prepared; nil if it is not.
    var prepared: String?
    /// Whether each row has a savepoint.
    var hasSavepoints = false
    /// How often this restore has inserted rows that no key tells apart.
    var inserted = InsertedRows()
    /// Finds rows that are in the way of a row, with the positions of its values: one for each unique index on columns alone
    /// that is not partial.
    private var conflicts: [(sql: String, sources: [Int])]?

    /// Reads the catalog in a transaction that sees one state of it.
    ///
    /// Throws ``NoTarget`` if the table or a column no longer exists, and a ``StoreError`` if the rows cannot be put back, or if
    /// that would change more than the table. Only `triggers`, which the store's gate knows, may fire.
    init(
        _ part: ArchivedPart, for rows: ArchivedRows, allowing triggers: Set<String>,
        in connection: Connection
    ) throws {
        self.connection = connection
        guard try !connection.names([part.table]).isEmpty else { throw NoTarget(.tableGone) }
        let relation = try Self.naming(part, connection) { try connection.relation(named: part.table) }
        self.relation = relation
        columns = try rows.columns.map { name in
            guard let column = relation[name], !column.isGenerated else { throw NoTarget(.columnGone) }
            return column
        }
        key = RowKey(of: relation)
        guard rows.witness.allSatisfy({ relation[$0] != nil }) else { throw NoTarget(.columnGone) }
        marks = MarkRemoval(rows.action, rows.columns, witness: rows.witness, on: relation)
        tombstones = try rows.tombstone.flatMap { tombstone in
            try Self.naming(part, connection) {
                try TombstoneRemoval(
                    of: tombstone, beside: relation, columns: rows.columns, in: connection)
            }
        }
        let operation = rows.action.isMark ? RowOperation.update(rows.action.columns) : .insert(rows.columns)
        try RestoreWrite(part: part, relation: relation, operation: operation, triggers: triggers)
            .check(in: connection)
        if let tombstones {
            try RestoreWrite(
                part: part, relation: tombstones.relation, operation: .delete, triggers: triggers
            ).check(in: connection)
        }
        let tables = try [relation.oid, tombstones?.relation.oid].compactMap(\.self).flatMap {
            try connection.partitionTree(of: $0)
        }
        var watch = SchemaWatch(tables: tables)
        try watch.note(in: connection)
        self.watch = watch
        locks = try TableLocks(tables, in: connection)
        isDeferrable = try connection.query(
            "SELECT EXISTS (SELECT FROM pg_index i WHERE i.indrelid = ANY ($1::oid[]) AND NOT i.indimmediate)",
            [.arrayLiteral(tables.map { "\($0)" })]
        ).isTrue(0, 0)
    }

    /// Begins a transaction that puts rows back. Until it ends, nobody can put a trigger or a rule on the tables.
    func begin(_ kind: TransactionKind, isPrepared: Bool) throws {
        try watch.begin(kind, locks.sql(), isPrepared: isPrepared, in: connection)
    }

    private static func naming<Result>(
        _ part: ArchivedPart, _ connection: Connection, _ body: () throws -> Result
    ) throws -> Result {
        do {
            return try body()
        } catch let mismatch as SchemaMismatch {
            throw StoreError(
                mismatch.kind, operation: "restore run \(part.runID)", place: connection.place,
                cause: mismatch.cause, hint: mismatch.hint)
        }
    }

    /// The statement that puts a row back and returns its key. It has no row, or fails, if the row conflicts with an existing
    /// one. The server reads each value by the type of its column; an explicit cast would cut a text that is too long.
    var insertion: String {
        let names = columns.map(\.name.quotedIdentifier).joined(separator: ", ")
        let values = columns.indices.map { "$\($0 + 1)" }.joined(separator: ", ")
        let overriding = relation.columns.contains(where: \.isIdentity) ? " OVERRIDING SYSTEM VALUE" : ""
        return """
            INSERT INTO \(relation.sql) AS \(relation.alias) (\(names))\(overriding) VALUES (\(values)) \
            \(isDeferrable ? "" : "ON CONFLICT DO NOTHING ")RETURNING \(key.sql)
            """
    }

    /// The statement that puts a row back, or takes its mark away.
    var statement: String { marks.map { "\($0.statement) RETURNING \(key.sql)" } ?? insertion }

    func put(_ row: [ArchivedValue]) throws -> PutRow? {
        let values = row[..<(marks?.width ?? columns.count)]
        let result = try connection.query(statement, bytes: values.map(\.bytes), preparedAs: prepared)
        guard result.count > 0, let key = result.bytes(0, 0) else { return nil }
        let fingerprint = Leases.fingerprint(of: key)
        if let tombstones, row.last == .text(Array("1".utf8)) {
            _ = try connection.query(tombstones.statement, bytes: tombstones.values(of: values))
        }
        return PutRow(fingerprint: fingerprint)
    }

    func obstacle(to row: [ArchivedValue]) throws -> RestoreSkip? {
        if let marks {
            let found = try connection.query(marks.question, bytes: marks.key.map { row[$0].bytes })
            guard found.count > 0 else { return .gone }
            return found.isTrue(0, 0) ? nil : .unmarked
        }
        let conflicts =
            try conflicts ?? Self.conflicts(on: relation, of: columns.map(\.name), in: connection)
        self.conflicts = conflicts
        let isThere = try conflicts.contains { conflict in
            try connection.query(conflict.sql, bytes: conflict.sources.map { row[$0].bytes }).count > 0
        }
        return isThere ? .exists : nil
    }

    /// Of a table without a key no row comes back that has an equal one there, which this restore did not insert.
    func whereabouts(
        of position: Int, in batch: RestoreBatch, besides back: [Int]
    ) throws -> RestoreWhereabouts {
        guard isKeyless, !batch.archived.isDeleted || batch.archived.isInReturn else { return .unknown }
        let row = batch.rows[position]
        let own = inserted.rows[row, default: 0] + back.count { batch.rows[$0] == row }
        return try equals(of: row[..<columns.count]) > own ? .neverLeft : .unknown
    }

    /// The number of rows that are equal to a row.
    private func equals(of row: ArraySlice<ArchivedValue>) throws -> Int64 {
        var values: [[UInt8]?] = []
        let terms = zip(columns, row).map { column, value in
            let name = relation.column(column.name)
            guard let bytes = value.bytes else { return "num_nulls(\(name)) = 1" }
            values.append(bytes)
            // As the server writes the value; a cast to text does not always.
            return "(num_nulls(\(name)) = 0 AND format('%s', \(name)) = $\(values.count)::text)"
        }
        let question =
            "SELECT count(*) FROM \(relation.sql) AS \(relation.alias) WHERE \(terms.joined(separator: " AND "))"
        return try connection.query(question, bytes: values).integer(0, 0) ?? 0
    }

    func attempt(_ body: () throws -> RestoreOutcome) throws -> RestoreOutcome? {
        guard hasSavepoints else { return try body() }
        try connection.run("SAVEPOINT pruned")
        let outcome: RestoreOutcome?
        do {
            outcome = try body()
        } catch let error as ServerError where error.isOfRow {
            try connection.run("ROLLBACK TO SAVEPOINT pruned")
            outcome = error.refersToNothing ? nil : .stays(error.isConflict ? .exists : .refused)
        }
        try connection.run("RELEASE SAVEPOINT pruned")
        return outcome
    }

    private static func conflicts(
        on relation: Relation, of columns: [String], in connection: Connection
    ) throws -> [(sql: String, sources: [Int])] {
        let indexes = try connection.query(
            """
            SELECT array_to_json(array_agg(coalesce(a.attname, '') ORDER BY k.place)) FROM pg_index i \
            CROSS JOIN unnest(i.indkey::int2[]) WITH ORDINALITY AS k (number, place) \
            LEFT JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.number \
            WHERE i.indrelid = $1 AND i.indisunique AND i.indisvalid AND i.indpred IS NULL \
            AND k.place <= i.indnkeyatts GROUP BY i.indexrelid
            """, ["\(relation.oid)"]
        ).rows.map { JSONNames.parse($0[0] ?? "[]") }
        return indexes.compactMap { index in
            let sources = index.compactMap { columns.firstIndex(of: $0) }
            guard sources.count == index.count else { return nil }
            let terms = index.enumerated().map { "\(relation.column($1)) = $\($0 + 1)" }
            return (
                "SELECT 1 FROM \(relation.sql) AS \(relation.alias) WHERE \(terms.joined(separator: " AND ")) LIMIT 1",
                sources
            )
        }
    }
}

extension ServerError {
    /// Whether the database refuses a row: by a constraint, or because it is no value of a column.
    var isOfRow: Bool { category == "23" || category == "22" || category == "44" }

    /// Whether an existing row is in the way, where only a deferred constraint tells.
    fileprivate var isConflict: Bool { code == "23505" || code == "23P01" }

    /// Whether what the row refers to is not there.
    fileprivate var refersToNothing: Bool { code == "23503" }
}

/// How often a restore has inserted rows that no key tells apart.
final class InsertedRows {
    var rows: [[ArchivedValue]: Int] = [:]
}
