import Pruning

/// Whether a restore may write to a table: the role has the rights, and no code of others would run.
struct RestoreWrite {
    let part: ArchivedPart
    let relation: Relation
    let operation: RowOperation
    /// The triggers that the store's gate knows. It knows their code as well.
    let triggers: Set<String>

    func check(in connection: Connection) throws {
        guard relation.kind == .table || relation.kind == .partitioned else {
            throw error(
                connection, .schema, "\(relation.description) is no table any more",
                hint: "rows are only put back into tables; they stay in the archive meanwhile")
        }
        try checkPrivileges(in: connection)
        try checkCode(in: connection)
        guard operation == .delete else { return }
        guard let key = try connection.foreignKeys(to: relation.oid).first(where: \.acts) else { return }
        throw error(
            connection, .unsafe,
            "taking tombstones out of \(relation.description) would also change rows of another table (foreign key"
                + " \(key.name))",
            hint: "drop the foreign key, restore, and create it again; the rows stay in the archive meanwhile"
        )
    }

    private func checkPrivileges(in connection: Connection) throws {
        var grants: [String] = []
        for privilege in ["SELECT", operation.event] where try !has(privilege, in: connection) {
            grants.append(try connection.grant(privilege, on: relation))
        }
        guard !grants.isEmpty else { return }
        throw error(
            connection, .schema,
            "the role may not \(operation.event.lowercased()) rows of \(relation.description)",
            hint: grants.joined(separator: "; "))
    }

    /// On the table, or on all columns that matter.
    private func has(_ privilege: String, in connection: Connection) throws -> Bool {
        if try connection.hasPrivilege(privilege, on: relation) { return true }
        let columns: [String] =
            switch operation {
            case .delete: []
            case .insert(let columns): columns
            case .update(let columns): privilege == "SELECT" ? relation.primaryKey + columns : columns
            }
        guard !columns.isEmpty else { return false }
        return try connection.query(
            """
            SELECT has_schema_privilege(c.relnamespace, 'USAGE') AND (SELECT bool_and(has_column_privilege(c.oid, n, $2)) \
            FROM unnest($3::text[]) n) FROM pg_class c WHERE c.oid = $1
            """, ["\(relation.oid)", privilege, .arrayLiteral(columns)]
        ).isTrue(0, 0)
    }

    /// Triggers, and what checks and computes the row, run as this role.
    private func checkCode(in connection: Connection) throws {
        let rows = ReachedRows(
            tables: try connection.partitionTree(of: relation.oid), operation: operation)
        // Archived values are compared with those of a column: a cast to text would come between.
        let found =
            try connection.statements(on: rows) + connection.calculations(on: rows)
            + connection.casts(of: relation)
        let code = found.first { $0.kind != .trigger || !triggers.contains($0.name) }
        if let code { throw refusal(of: code, connection) }
    }

    private func refusal(of code: ReachedCode.Finding, _ connection: Connection) -> StoreError {
        let kind = code.kind.rawValue
        let isOfStatement = [.trigger, .rule, .policy].contains(code.kind)
        return error(
            connection, .unsafe,
            isOfStatement
                ? "\(kind) \(code.name) of \(code.table) would run with the rights of this role"
                : "\(kind) \(code.name) of \(code.table) calls \(code.definition), which would run with the rights of this role",
            hint: code.kind == .trigger
                ? "ALTER TABLE \(relation.sql) DISABLE TRIGGER \(code.name.quotedIdentifier), restore, and enable it again; the"
                    + " rows stay in the archive meanwhile"
                : "the rows stay in the archive: put them into a table that calls no such function, or take it away there"
        )
    }

    private func error(
        _ connection: Connection, _ kind: StoreErrorKind, _ cause: String, hint: String
    ) -> StoreError {
        StoreError(
            kind, operation: "restore run \(part.runID)", place: connection.place, cause: cause, hint: hint)
    }
}
