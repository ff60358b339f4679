import Retention
import RuleEngine

/// A foreign key of the database, with the numbers of its tables.
struct ForeignKeyConstraint: Equatable {
    let key: ForeignKey
    let child: UInt32
    let parent: UInt32
    let onUpdate: StoreSchema.ForeignKey.Action
    /// Whether its last columns are periods: a row is referred to by those whose period overlaps its own. PostgreSQL 18 and
    /// later.
    let isOfPeriods: Bool

    var name: String { key.name ?? "" }
    /// As a message names it.
    var described: String {
        key.isDeclared ? "column \(key.child).\(childColumns[0])" : "foreign key \(name)"
    }
    var childColumns: [String] { key.childColumns }
    var parentColumns: [String] { key.parentColumns }
    var cascades: Bool { key.cascades }
    var acts: Bool { key.acts }
}

extension ForeignKeyConstraint {
    /// The operators by which it compares its columns, in their order.
    var operators: [String] {
        childColumns.indices.map { isOfPeriods && $0 == childColumns.count - 1 ? "&&" : "=" }
    }
}

extension StoreSchema.ForeignKey.Action {
    /// As the catalog writes it.
    init(code: String?) {
        let codes: [String: Self] = ["c": .cascade, "r": .restrict, "n": .setNull, "d": .setDefault]
        self = codes[code ?? ""] ?? .none
    }
}

extension ForeignKeyConstraint {
    /// Throws a ``SchemaMismatch`` if the server would read many rows of the child for each deleted row of `relation`.
    func requireIndex(
        on child: Relation, deletingFrom relation: Relation, in connection: Connection
    ) throws {
        // Functions of an owner, which are refused elsewhere, run when a statement is planned.
        guard try !connection.hasIndex(on: child.oid, ledBy: childColumns),
            try connection.calculations(readFrom: child.oid).isEmpty
        else { return }
        let many = try connection.query(
            "SELECT count(*) FROM (SELECT 1 FROM \(child.sql) LIMIT \(Self.few + 1)) few")
        guard (many.integer(0, 0) ?? 0) > Self.few else { return }
        throw SchemaMismatch(
            "\(described) has no index: each \(key.isDeclared ? "batch of" : "deleted row of") \(relation.description) reads"
                + " the whole of \(child.description)",
            hint:
                "CREATE INDEX ON \(child.sql) (\(childColumns.map(\.quotedIdentifier).joined(separator: ", ")))",
            kind: .tooSlow)
    }

    /// Throws a ``SchemaMismatch`` if the server compares the columns otherwise than SQL does that compares them: a text and a
    /// padded one, values by a cast of a type's owner, or texts by two collations. The server would take rows along that
    /// were not found.
    func requireComparable(
        _ child: Relation, with parent: Relation, in connection: Connection
    ) throws {
        for (own, other) in zip(childColumns, parentColumns) {
            guard let own = child[own], let other = parent[other],
                try !connection.areComparable(own, of: child, other, of: parent)
            else { continue }
            throw SchemaMismatch(
                "\(described) compares \(child.description).\(own.name) (\(own.type)) with"
                    + " \(parent.description).\(other.name) (\(other.type)) in a way of its own",
                hint: "give both columns one type and collation", keys: ["table"])
        }
    }

    /// A table of this many rows is read without an index.
    private static let few = 10_000
}

extension Connection {
    /// Whether two columns are equal to the server wherever SQL that compares them says so.
    func areComparable(
        _ a: Relation.Column, of first: Relation, _ b: Relation.Column, of second: Relation
    ) throws -> Bool {
        guard a.comparedType == b.comparedType, !a.hasOwnOperators, !b.hasOwnOperators,
            a.isOfCatalog && b.isOfCatalog || a.isEnumeration && b.isEnumeration
        else { return false }
        let collations = try query(
            """
            SELECT l.oid, l.collisdeterministic FROM pg_attribute a JOIN pg_collation l ON l.oid = a.attcollation \
            WHERE (a.attrelid, a.attnum) IN (($1::oid, $2::int2), ($3::oid, $4::int2))
            """, ["\(first.oid)", "\(a.number)", "\(second.oid)", "\(b.number)"])
        let isAnyFolding = (0..<collations.count).contains { !collations.isTrue($0, 1) }
        return !isAnyFolding || Set(collations.rows.map { $0[0] }).count == 1
    }

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
    func foreignKeys(to parent: UInt32) throws -> [ForeignKeyConstraint] { try foreignKeys(to: [parent]) }

    /// The same for all of these tables, in one question: there may be thousands of partitions.
    func foreignKeys(to parents: [UInt32]) throws -> [ForeignKeyConstraint] {
        try foreignKeys("c.confrelid", parents)
    }

    /// The foreign keys of this table.
    func foreignKeys(of child: UInt32) throws -> [ForeignKeyConstraint] {
        try foreignKeys("c.conrelid", [child])
    }

    /// SQL that is true of a constraint that the server enforces. Only PostgreSQL 18 and later has others, and the column.
    static func isEnforced(_ constraint: String) -> String {
        "coalesce((to_jsonb(\(constraint)) ->> 'conenforced')::boolean, true)"
    }

    func foreignKeys(_ side: String, _ tables: [UInt32]) throws -> [ForeignKeyConstraint] {
        // A partition has each foreign key of its table once more.
        let names = { (relation: String, numbers: String) in
            """
            (SELECT array_to_json(array_agg(a.attname ORDER BY k.place)) FROM unnest(\(numbers)) WITH ORDINALITY \
            AS k (number, place) JOIN pg_attribute a ON a.attrelid = \(relation) AND a.attnum = k.number)
            """
        }
        let table = { (relation: String) in
            "(SELECT n.nspname FROM pg_namespace n WHERE n.oid = \(relation).relnamespace), \(relation).relname"
        }
        return try query(
            """
            SELECT c.conname, c.conrelid, \(names("c.conrelid", "c.conkey")), c.confrelid, \
            \(names("c.confrelid", "c.confkey")), c.confdeltype, c.confupdtype, \
            \(table("a")), \(table("b")), to_jsonb(c) ->> 'conperiod' FROM pg_constraint c \
            JOIN pg_class a ON a.oid = c.conrelid JOIN pg_class b ON b.oid = c.confrelid \
            WHERE c.contype = 'f' AND \(side) = ANY ($1::oid[]) AND c.conparentid = 0 AND \(Self.isEnforced("c")) \
            ORDER BY c.conname, c.oid
            """, [.arrayLiteral(tables.map { "\($0)" })]
        ).rows.map { row in
            ForeignKeyConstraint(
                key: ForeignKey(
                    row[0], of: TableName(row[8] ?? "", inSchema: row[7]), JSONNames.parse(row[2] ?? "[]"),
                    to: TableName(row[10] ?? "", inSchema: row[9]), JSONNames.parse(row[4] ?? "[]"),
                    onDelete: .init(code: row[5])),
                child: UInt32(row[1] ?? "") ?? 0, parent: UInt32(row[3] ?? "") ?? 0,
                onUpdate: .init(code: row[6]), isOfPeriods: row[11] == "true")
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

extension Relation.Column {
    /// Types with the same text are compared by the same operator, whether or not a foreign key compares them.
    fileprivate var comparedType: String {
        switch baseType {
        case "smallint", "integer", "bigint", "numeric": "number"
        case "text", "character varying": "text"
        default: baseType
        }
    }
}
