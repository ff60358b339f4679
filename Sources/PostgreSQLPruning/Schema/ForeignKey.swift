/// A foreign key of the database.
struct ForeignKey: Equatable {
    let name: String
    let child: UInt32
    let childColumns: [String]
    let parent: UInt32
    let parentColumns: [String]
    let onDelete: Action

    /// Whether a deletion changes the child's rows; else the server refuses it while they are there.
    var acts: Bool { onDelete != .nothing && onDelete != .restrict }

    /// What happens to the child's rows when the parent's row is deleted.
    enum Action: String {
        case nothing = "a"
        case restrict = "r"
        case cascade = "c"
        case setNull = "n"
        case setDefault = "d"
    }
}

extension ForeignKey {
    /// Throws a ``SchemaMismatch`` if the server would read many rows of the child for each deleted row of `relation`.
    func requireIndex(
        on child: Relation, deletingFrom relation: Relation, in connection: Connection
    ) throws {
        guard try !connection.hasIndex(on: child.oid, ledBy: childColumns) else { return }
        let many = try connection.query(
            "SELECT count(*) FROM (SELECT FROM \(child.sql) LIMIT \(Self.few + 1)) few")
        guard (many.integer(0, 0) ?? 0) > Self.few else { return }
        throw SchemaMismatch(
            "foreign key \(name) has no index: each deleted row of \(relation.description) reads the whole of"
                + " \(child.description)",
            hint:
                "CREATE INDEX ON \(child.sql) (\(childColumns.map(\.quotedIdentifier).joined(separator: ", ")))",
            kind: .tooSlow)
    }

    /// A table of this many rows is read without an index.
    private static let few = 10_000
}

extension Connection {
    /// The collation of each column, as it follows an expression: a foreign key compares by that of the column referred to.
    func collations(of columns: [String], of table: UInt32) throws -> [String] {
        try query(
            """
            SELECT coalesce(' COLLATE ' || quote_ident(n.nspname) || '.' || quote_ident(l.collname), '') \
            FROM unnest($2::text[]) WITH ORDINALITY AS u (name, place) \
            JOIN pg_attribute a ON a.attrelid = $1::oid AND a.attname = u.name \
            LEFT JOIN pg_collation l ON l.oid = a.attcollation LEFT JOIN pg_namespace n ON n.oid = l.collnamespace \
            ORDER BY u.place
            """, ["\(table)", .arrayLiteral(columns)]
        ).rows.map { $0[0] ?? "" }
    }

    /// The foreign keys that refer to this table, by name.
    func foreignKeys(to parent: UInt32) throws -> [ForeignKey] { try foreignKeys(to: [parent]) }

    /// The same for all of these tables, in one question: there may be thousands of partitions.
    func foreignKeys(to parents: [UInt32]) throws -> [ForeignKey] {
        try foreignKeys("c.confrelid", parents)
    }

    /// The foreign keys of this table.
    func foreignKeys(of child: UInt32) throws -> [ForeignKey] { try foreignKeys("c.conrelid", [child]) }

    /// SQL that is true of a constraint that the server enforces. Only PostgreSQL 18 and later has others, and the column.
    static func isEnforced(_ constraint: String) -> String {
        "coalesce((to_jsonb(\(constraint)) ->> 'conenforced')::boolean, true)"
    }

    private func foreignKeys(_ side: String, _ tables: [UInt32]) throws -> [ForeignKey] {
        // A partition has each foreign key of its table once more.
        let names = { (relation: String, numbers: String) in
            """
            (SELECT array_to_json(array_agg(a.attname ORDER BY k.place)) FROM unnest(\(numbers)) WITH ORDINALITY \
            AS k (number, place) JOIN pg_attribute a ON a.attrelid = \(relation) AND a.attnum = k.number)
            """
        }
        return try query(
            """
            SELECT c.conname, c.conrelid, \(names("c.conrelid", "c.conkey")), c.confrelid, \
            \(names("c.confrelid", "c.confkey")), c.confdeltype FROM pg_constraint c \
            WHERE c.contype = 'f' AND \(side) = ANY ($1::oid[]) AND c.conparentid = 0 AND \(Self.isEnforced("c")) ORDER BY c.conname, c.oid
            """, [.arrayLiteral(tables.map { "\($0)" })]
        ).rows.map { row in
            ForeignKey(
                name: row[0] ?? "", child: UInt32(row[1] ?? "") ?? 0,
                childColumns: JSONNames.parse(row[2] ?? "[]"),
                parent: UInt32(row[3] ?? "") ?? 0, parentColumns: JSONNames.parse(row[4] ?? "[]"),
                onDelete: row[5].flatMap(ForeignKey.Action.init) ?? .nothing)
        }
    }

    /// Whether an index of the table is led by these columns, in any order, and is no partial one.
    func hasIndex(on table: UInt32, ledBy columns: [String]) throws -> Bool {
        try query(
            """
            SELECT EXISTS (SELECT FROM pg_index i WHERE i.indrelid = $1 AND i.indisvalid AND i.indpred IS NULL AND \
            (SELECT array_agg(a.attname::text ORDER BY a.attname::text) FROM unnest(i.indkey::int2[]) WITH ORDINALITY \
            AS k (number, place) JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.number \
            WHERE k.place <= cardinality($2::text[])) = (SELECT array_agg(n ORDER BY n) FROM unnest($2::text[]) n))
            """, ["\(table)", .arrayLiteral(columns)]
        ).isTrue(0, 0)
    }
}
