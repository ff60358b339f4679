import Archive
import Pruning
import Retention
import RuleEngine
import SQLite

/// The columns of a rule's `identity`, checked.
struct IdentityColumns {
    /// With the schema's spelling.
    let names: [String]
    /// Whose identities these are.
    let source: IdentitySource
    /// SQL for the values. Without the `+`, SQLite may return an integer as a real number.
    let selection: String

    /// Nil if the rule does not archive or has no identity.
    init?(of binding: Binding, on table: TableSchema) {
        let (rule, names) = (binding.rule, binding.identity.map(\.name))
        // SQLite returns no more columns than that.
        guard rule.isLookedFor, table.archivedColumns.count + names.count < 2_000 else { return nil }
        self.names = names
        source = IdentitySource(rule, kind: Self.kind(names, rule.action))
        selection = names.map { "+" + table.column($0) }.joined(separator: ", ")
    }

    /// Rows that were marked are in the table still, so a rule that marks by other values, or deletes by now, must not
    /// take them for rows that came back.
    private static func kind(_ names: [String], _ action: RowAction) -> UInt64 {
        var bytes: [UInt8] = []
        for name in names { RowEncoding.append(.text(name.comparedName), to: &bytes) }
        if case .mark(let columns) = action {
            for column in columns {
                RowEncoding.append(.blob(column.column.comparedName), to: &bytes)
                RowEncoding.append(.blob(Array(column.value.literal.utf8)), to: &bytes)
            }
        }
        return XXHash64.hash(bytes)
    }
}
