import Pruning
import Retention

/// The references by which rows that stay hold rows that would go: foreign keys without CASCADE, of other tables and of the
/// rule's own. The server refuses to delete such rows, and a whole batch with them.
struct HoldingReferences {
    let condition: ExpiryCondition
    /// The tables of which more goes than the rule's own rows; what is left of these is not known.
    var changing: Set<UInt32> = []

    private var relation: Relation { condition.bound.relation }

    /// Throws a ``SchemaMismatch`` that names the first key that holds a row.
    func check(in connection: Connection) throws {
        for key in try keys(in: connection) {
            let child = try connection.relation(key.child)
            guard try canLook(at: child, in: connection) else { continue }
            let rows = try count(of: key, from: child, in: connection)
            guard rows > 0 else { continue }
            let others = child.oid == relation.oid ? "rows of it that stay" : "rows of \(child.description)"
            throw SchemaMismatch(
                HeldRows(rows, of: relation.description, by: others, key: key.name).cause,
                hint: hint(key, child))
        }
    }

    /// The keys of which ``check(in:)`` cannot tell, in a line each.
    func remarks(in connection: Connection) throws -> [String] {
        try keys(in: connection).compactMap { key in
            let child = try connection.relation(key.child)
            guard try !canLook(at: child, in: connection) else { return nil }
            return
                "rows of \(child.description) may hold expired rows (foreign key \(key.name)), which only a run can tell:"
                + " the role cannot look at all of them"
        }
    }

    private func keys(in connection: Connection) throws -> [ForeignKey] {
        guard condition.bound.mark == nil else { return [] }
        let alongside = changing.union(condition.bound.cascades.map(\.child))
        // A foreign key may refer to one partition alone.
        return try connection.foreignKeys(to: connection.partitionTree(of: relation.oid)).filter {
            ($0.onDelete == .nothing || $0.onDelete == .restrict) && !alongside.contains($0.child)
        }
    }

    /// Whether the role sees all rows, and no code of the table's owner runs for it.
    private func canLook(at child: Relation, in connection: Connection) throws -> Bool {
        try !child.hasRowSecurity && connection.hasPrivilege("SELECT", on: child)
            && connection.calculations(readFrom: child.oid).isEmpty
    }

    /// How many of the rows that would go are referred to by others.
    private func count(of key: ForeignKey, from child: Relation, in connection: Connection) throws -> Int64 {
        // Other types may have an equality of their own.
        let columns = key.childColumns.map { child[$0] } + key.parentColumns.map { relation[$0] }
        guard columns.allSatisfy({ $0?.isOfCatalog ?? false }) else { return 0 }
        let (from, row) = (condition.from(), relation.alias)
        let values = key.parentColumns.enumerated().map { "\(relation.column($1)) AS k\($0)" }
        let expired = """
            "pruned expired" AS MATERIALIZED (SELECT \(row).tableoid AS part, \(row).ctid AS place, \
            \(values.joined(separator: ", ")) \(from)\(condition.join) WHERE \(condition.expired))
            """
        let collations = try collations(of: key.parentColumns, in: connection)
        var refers = zip(key.childColumns, collations).enumerated().map {
            "c.\($1.0.quotedIdentifier) = e.k\($0)\($1.1)"
        }
        if child.oid == relation.oid {
            refers.append(
                "NOT EXISTS (SELECT FROM \"pruned expired\" AS x WHERE x.part = c.tableoid AND x.place = c.ctid)"
            )
        }
        let isParent =
            key.parent == relation.oid
            ? "" : " AND e.part IN (SELECT relid FROM pg_partition_tree('\(key.parent)'::regclass))"
        return try connection.query(
            """
            \(condition.with(of: from, and: [expired]))SELECT count(*) FROM "pruned expired" AS e WHERE EXISTS \
            (SELECT FROM \(condition.source(of: child)) AS c WHERE \(refers.joined(separator: " AND ")))\(isParent)
            """
        ).integer(0, 0) ?? 0
    }

    /// The collation of each column, as it follows an expression: a foreign key compares by that of the column referred to.
    private func collations(of columns: [String], in connection: Connection) throws -> [String] {
        try connection.query(
            """
            SELECT coalesce(' COLLATE ' || quote_ident(n.nspname) || '.' || quote_ident(l.collname), '') \
            FROM unnest($2::text[]) WITH ORDINALITY AS u (name, place) \
            JOIN pg_attribute a ON a.attrelid = $1::oid AND a.attname = u.name \
            LEFT JOIN pg_collation l ON l.oid = a.attcollation LEFT JOIN pg_namespace n ON n.oid = l.collnamespace \
            ORDER BY u.place
            """, ["\(relation.oid)", .arrayLiteral(columns)]
        ).rows.map { $0[0] ?? "" }
    }

    private func hint(_ key: ForeignKey, _ child: Relation) -> String {
        guard child.oid != relation.oid else {
            return
                "leave such a table to its app, which can clear \(key.childColumns.joined(separator: ", ")) first"
        }
        if let column = key.childColumns.first, key.childColumns.count == 1,
            key.parent == relation.oid, key.parentColumns == relation.primaryKey
        {
            return HeldRows.hint(
                keptBy: condition.bound.rule.keptBy.map(\.description) + ["\(child.description).\(column)"])
        }
        let match = zip(key.childColumns, key.parentColumns).map {
            "other.\($0.sqlName) = \(relation.name.sqlName).\($1.sqlName)"
        }
        let name = (child.schema == Relation.usualSchema ? [child.name] : [child.schema, child.name])
            .map(\.sqlName).joined(separator: ".")
        let exists = "EXISTS (SELECT 1 FROM \(name) other WHERE \(match.joined(separator: " AND ")))"
        return HeldRows.hint(protect: condition.bound.rule.protect + [exists])
    }
}
