import Pruning
import Retention
import TerminalText

/// What a rule says of columns that refer to its rows, as foreign keys that no store enforces.
extension Catalog {
    /// The catalog with these keys in the place of those that the store enforces by the same column. What a rule declares
    /// happens before its rows are deleted, so that the store finds nothing left to do.
    func declaring(_ keys: [ForeignKey]) -> Catalog {
        guard !keys.isEmpty else { return self }
        var catalog = self
        catalog.foreignKeys.removeAll { own in keys.contains { $0.replaces(own) } }
        catalog.foreignKeys += keys
        return catalog
    }

    /// The same for another rule of the store, whether or not it can run.
    func declaring(_ rule: RetentionRule) -> Catalog {
        guard !rule.dependentColumns.isEmpty || !rule.detach.isEmpty,
            let table = tableIfAny(named: rule.table), let keys = try? declaredKeys(of: rule, on: table)
        else { return self }
        return declaring(keys)
    }

    /// The keys that `dependents` and `detach` declare. Throws a ``SchemaMismatch`` if one of their columns cannot have keys of
    /// `table`.
    func declaredKeys(of rule: RetentionRule, on table: Table) throws -> [ForeignKey] {
        let ways: [(RuleKey, [ColumnReference], StoreSchema.ForeignKey.Action)] = [
            (.dependents, rule.dependentColumns, .cascade), (.detach, rule.detach, .setNull),
        ]
        return try ways.flatMap { key, references, action in
            try references.compactMap { reference in
                try SchemaMismatch.blaming(key, reference.description) {
                    try declaredKey(reference, action, of: table)
                }
            }
        }
    }

    /// Nil if the store deletes the rows by itself.
    private func declaredKey(
        _ reference: ColumnReference, _ action: StoreSchema.ForeignKey.Action, of table: Table
    ) throws(SchemaMismatch) -> ForeignKey? {
        let child = try self.table(named: reference.table, beside: table.name)
        let column = try child.required(reference.column, in: self)
        guard table.primaryKey.count == 1, let key = table.column(table.primaryKey[0]) else {
            throw SchemaMismatch(
                "the primary key of \(table.name) has \(table.primaryKey.count) columns, so \(reference) cannot have it",
                hint: "a foreign key with ON DELETE CASCADE can have several columns")
        }
        guard action == .setNull || child.name != table.name else {
            throw SchemaMismatch(
                "rows of \(table.name) cannot be dependents of rows of \(table.name)",
                hint:
                    "write detach = [\"\(reference)\"]: rows that refer to a deleted one then get NULL there")
        }
        let enforced = foreignKeys.filter {
            $0.child == child.name && $0.childColumns == [column.name] && $0.parent == table.name
        }
        if let other = enforced.first(where: { $0.parentColumns != [key.name] }) {
            throw SchemaMismatch(
                "\(reference) refers to \(other.parentColumns.joined(separator: ", ")) of \(table.name) (a foreign key), not to"
                    + " its primary key",
                hint: "remove it")
        }
        guard column.comparison == key.comparison else {
            throw SchemaMismatch(
                "\(reference) and \(table.name).\(key.name) are of different types or collations, so one may equal several of the"
                    + " other",
                hint: "give both one type; what refers by another column is left to its app")
        }
        if action == .setNull {
            guard column.isNullable, !child.primaryKey.contains(column.name), !column.isGenerated else {
                throw SchemaMismatch(
                    "\(reference) cannot be NULL",
                    hint: "if its rows belong to those of \(table.name), write dependents ="
                        + " [{ table = \"\(reference.table)\", column = \"\(reference.column)\" }]")
            }
            guard !enforced.contains(where: \.cascades) else {
                throw SchemaMismatch(
                    "a foreign key deletes the rows of \(child.name) whose \(column.name) refers to a deleted one",
                    hint: "remove it from detach, and write dependents = [\"\(child.name)\"]")
            }
        } else if enforced.contains(where: \.cascades) {
            return nil
        }
        return ForeignKey(
            declared: child.name, [column.name], to: table.name, [key.name], onDelete: action)
    }
}

extension ForeignKey {
    fileprivate func replaces(_ other: ForeignKey) -> Bool {
        child == other.child && childColumns == other.childColumns && parent == other.parent
    }
}
