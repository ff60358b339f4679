import Pruning
import Retention
import RuleEngine

/// The current state of the table into which archived rows are to be put.
struct RestoreTarget {
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

    /// Why no row with these columns can be put into the table.
    struct Gone: Error {
        let reason: RestoreSkip
    }

    /// Reads the catalog in a transaction that sees one state of it.
    ///
    /// Throws ``Gone`` if the table or a column no longer exists, and a ``StoreError`` if the rows cannot be put back, or if
    /// that would change more than the table. Only `triggers`, which the store's gate knows, may fire.
    init(
        _ part: ArchivedPart, for rows: ArchivedRows, allowing triggers: Set<String>,
        in connection: Connection
    ) throws {
        let found = try connection.names([part.table])
        guard let first = found.first else { throw Gone(reason: .tableGone) }
        let relation = try Self.naming(part, connection) {
            try found.count == 1 ? connection.relation(first.oid) : connection.relation(named: part.table)
        }
        self.relation = relation
        columns = try rows.columns.map { name in
            guard let column = relation[name], !column.isGenerated else { throw Gone(reason: .columnGone) }
            return column
        }
        key = RowKey(of: relation)
        guard rows.witness.allSatisfy({ relation[$0] != nil }) else { throw Gone(reason: .columnGone) }
        marks = MarkRemoval(rows.action, rows.columns, witness: rows.witness, on: relation)
        tombstones = try rows.tombstone.flatMap { tombstone in
            try Self.naming(part, connection) {
                try TombstoneRemoval(of: tombstone, columns: rows.columns, in: connection)
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
    func begin(_ kind: TransactionKind, isPrepared: Bool, in connection: Connection) throws {
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

    /// A question for the number of rows that are equal to a row, and its values.
    func equals(of row: ArraySlice<RowCoding.Value>) -> (sql: String, values: [RowCoding.Value]) {
        var values: [RowCoding.Value] = []
        let terms = zip(columns, row).map { column, value in
            let name = relation.column(column.name)
            guard let value else { return "num_nulls(\(name)) = 1" }
            values.append(value)
            // As the server writes the value; a cast to text does not always.
            return "(num_nulls(\(name)) = 0 AND format('%s', \(name)) = $\(values.count)::text)"
        }
        return (
            "SELECT count(*) FROM \(relation.sql) AS \(relation.alias) WHERE \(terms.joined(separator: " AND "))",
            values
        )
    }
}
