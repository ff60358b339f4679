import Retention
import RuleEngine

/// The privileges that a role needs to prune a table.
struct NeededRights {
    let rule: RetentionRule
    let relation: Relation
    /// The tables that have the rows: those that statements name.
    let leaves: [Relation]
    var tombstones: (table: Relation, columns: [String])?
    /// The tables that are only read.
    var read: [Relation] = []
    /// The tables whose rows go with those of the rule, or lose a value, by a column that the rule names: no foreign key does
    /// it with its owner's rights.
    var declared: [(key: ForeignKey, table: Relation)] = []

    /// Throws a ``SchemaMismatch`` with the GRANT that is missing.
    func check(in connection: Connection) throws {
        let deed = "\(rule.action.infinitive) rows of"
        let tables = [relation] + leaves.filter { $0 != relation }
        try check(tables, [("SELECT", [])] + changes, to: deed, in: connection)
        if let tombstones {
            try check(
                [tombstones.table], [("SELECT", []), ("INSERT", tombstones.columns)],
                to: "leave tombstones in",
                in: connection)
        }
        try check(read, [("SELECT", [])], to: "read", in: connection)
        for (key, table) in declared {
            let change = key.cascades ? ("DELETE", []) : ("UPDATE", key.childColumns)
            try check(
                [table], [("SELECT", []), change], to: "\(key.cascades ? "delete" : "detach") rows of",
                in: connection)
        }
    }

    /// A row is locked before it is deleted, for which the role must be allowed to change some column.
    private var changes: [(privilege: String, columns: [String])] {
        switch rule.action {
        case .delete:
            let key = relation.primaryKey
            return [("DELETE", []), ("UPDATE", key.isEmpty ? relation.columns.prefix(1).map(\.name) : key)]
        case .mark(let marked): return [("UPDATE", marked.map(\.column))]
        }
    }

    /// A remark if the role may not vacuum the tables that have the rows. The server skips such a table, and the rows go.
    func vacuumRemark(in connection: Connection) throws -> String? {
        let oids = "{" + leaves.map { "\($0.oid)" }.joined(separator: ",") + "}"
        let found = try connection.query(
            """
            SELECT c.oid, current_user, r.rolname, current_setting('server_version_num')::int >= 170000 FROM pg_class c \
            JOIN pg_roles r ON r.oid = c.relowner WHERE c.oid = ANY ($1::oid[]) AND NOT (pg_has_role(c.relowner, 'USAGE') \
            OR pg_has_role((SELECT datdba FROM pg_database WHERE datname = current_database()), 'USAGE') \
            OR CASE WHEN current_setting('server_version_num')::int >= 170000 \
            THEN has_table_privilege(c.oid, 'MAINTAIN') ELSE false END) ORDER BY c.relname LIMIT 1
            """, [oids])
        guard found.count > 0, let table = leaves.first(where: { "\($0.oid)" == found.text(0, 0) }) else {
            return nil
        }
        let role = (found.text(0, 1) ?? "").quotedIdentifier
        let grant =
            found.isTrue(0, 3)
            ? "GRANT MAINTAIN ON \(table.sql) TO \(role), or set reclaim = false"
            : "set reclaim = false, and leave it to autovacuum"
        return
            "no space will be given back: the role \(found.text(0, 1) ?? "") may not vacuum \(table.description), which"
            + " reclaim = true asks for; \(grant)"
    }

    /// Names the first of the tables that lacks something.
    private func check(
        _ tables: [Relation], _ needed: [(privilege: String, columns: [String])], to deed: String,
        in connection: Connection
    ) throws {
        let lacking = try needed.map { right in
            (right, tables: try connection.tables(tables, without: right.privilege, of: right.columns))
        }
        let closed = try connection.tablesOfClosedSchemas(tables)
        let table = tables.first { table in
            closed.contains(table.oid) || lacking.contains { $0.tables.contains(table.oid) }
        }
        guard let table else { return }
        let missing = lacking.filter { $0.tables.contains(table.oid) }.map(\.0)
        let role = try connection.query("SELECT current_user").text(0, 0) ?? ""
        let rights = missing.map { right in
            let columns = right.columns.map(\.quotedIdentifier).joined(separator: ", ")
            return right.privilege + (columns.isEmpty ? "" : " (\(columns))")
        }.joined(separator: ", ")
        let grants =
            (closed.contains(table.oid) ? ["GRANT USAGE ON SCHEMA \(table.schema.quotedIdentifier)"] : [])
            + (missing.isEmpty ? [] : ["GRANT \(rights) ON \(table.sql)"])
        throw SchemaMismatch(
            "the role \(role) may not \(deed) \(table.description)",
            hint: grants.map { "\($0) TO \(role.quotedIdentifier)" }.joined(separator: "; "))
    }
}

extension Connection {
    /// Those of the tables on which the role lacks a privilege, and lacks it on one of these columns, too.
    fileprivate func tables(
        _ tables: [Relation], without privilege: String, of columns: [String]
    ) throws -> Set<UInt32> {
        let right =
            columns.isEmpty
            ? "has_table_privilege(t, $2)"
            : "(has_table_privilege(t, $2) OR (SELECT bool_and(has_column_privilege(t, c, $2)) FROM unnest($3::text[]) c))"
        return try numbers(
            "SELECT t FROM unnest($1::oid[]) t WHERE \(right) IS NOT TRUE", tables,
            [privilege] + (columns.isEmpty ? [] : [.arrayLiteral(columns)]))
    }

    fileprivate func tablesOfClosedSchemas(_ tables: [Relation]) throws -> Set<UInt32> {
        try numbers(
            """
            SELECT t FROM unnest($1::oid[]) t LEFT JOIN pg_class c ON c.oid = t \
            WHERE has_schema_privilege(c.relnamespace, 'USAGE') IS NOT TRUE
            """, tables, [])
    }

    private func numbers(_ sql: String, _ tables: [Relation], _ values: [String]) throws -> Set<UInt32> {
        let found = try query(sql, [.arrayLiteral(tables.map { "\($0.oid)" })] + values)
        return Set(found.rows.compactMap { $0[0].flatMap { UInt32($0) } })
    }
}
