import Pruning
import Retention

extension Binding {
    /// What helps where rows that stay refer by `key` to rows that would go: those of the rule, or of a table that goes with
    /// them. Nil where no condition of the rule's own rows does.
    package func hint(holding key: ForeignKey) -> String? {
        let reference = ColumnReference(table: key.child.description, column: key.childColumns.first ?? "")
        if key.refers(toKeyOf: table), reference.isWritable {
            return HeldRows.hint(keptBy: rule.keptBy.map(\.description) + [reference.description])
        }
        guard key.parent != table.name else {
            return HeldRows.hint(protect: rule.protect + [exists(key, of: table.name.name)])
        }
        let owner = cascades.first { $0.child == key.parent && $0.parent == table.name }
        guard let owner, !cascades.contains(where: { $0.child == key.child }) else { return nil }
        let outer = exists(owner, of: table.name.name, as: "own", and: " AND \(exists(key, of: "own"))")
        return HeldRows.hint(protect: rule.protect + [outer])
    }

    private func exists(
        _ key: ForeignKey, of parent: String, as name: String = "other", and term: String = ""
    ) -> String {
        let match = zip(key.childColumns, key.parentColumns).map {
            "\(name).\($0.nameInSQL) = \(parent.nameInSQL).\($1.nameInSQL)"
        }
        let table = [key.child.schema, key.child.name].compactMap(\.self).map(\.nameInSQL).joined(
            separator: ".")
        return "EXISTS (SELECT 1 FROM \(table) \(name) WHERE \(match.joined(separator: " AND "))\(term))"
    }
}
