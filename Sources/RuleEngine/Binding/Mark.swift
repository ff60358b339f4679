import Pruning
import Retention
import TerminalText

/// The values that a rule gives to expired rows instead of deleting them, checked.
package struct Mark: Equatable, Sendable {
    package struct Column: Equatable, Sendable {
        package let name: String
        /// The value as SQL.
        package let literal: String

        package init(_ name: String, literal: String) { (self.name, self.literal) = (name, literal) }
    }

    package let columns: [Column]

    package init(columns: [Column]) { self.columns = columns }

    /// Nil if the rule deletes. Throws a ``SchemaMismatch`` if one of its columns cannot be set. `rules` are those of the
    /// store, and `literal` gives a value of a column as SQL.
    init?(
        of rule: RetentionRule, on table: Table, beside rules: [RetentionRule], in catalog: Catalog,
        literal: (ColumnConstant, Table.Column) throws -> String
    ) throws {
        guard case .mark(let marked) = rule.action else { return nil }
        let uses =
            Self.uses(of: table, by: rule, in: catalog)
            + Self.uses(of: table, by: rules, but: rule, in: catalog)
        columns = try marked.map { mark in
            try SchemaMismatch.blaming(mark.keys, mark.value.written) {
                let column = try table.required(mark.column, in: catalog)
                if let use = uses.first(where: { $0.columns.contains(column.name) })?.use {
                    throw SchemaMismatch(
                        "action would set \(table.name).\(column.name), which \(use)",
                        hint: "a mark sets columns that say nothing but that the app has deleted the row")
                }
                return Column(column.name, literal: try literal(mark.value, column))
            }
        }
        guard rule.archiveKeep == nil || table.hasKey else {
            throw SchemaMismatch(
                "marked rows of \(table.name) cannot be archived: it has no primary key that names each row",
                hint: "remove archive from the rule", keys: [RuleKey.archive.rawValue])
        }
    }

    private typealias Use = (columns: [String], use: String)

    /// The columns that identify a row, order it, or decide over other rows.
    private static func uses(of table: Table, by rule: RetentionRule, in catalog: Catalog) -> [Use] {
        let keys = catalog.foreignKeys
        let parents = table.parts.union([table.name])
        func spelled(_ names: [String]) -> [String] {
            names.compactMap { try? table.required($0, in: catalog).name }
        }
        return [
            (table.locator + table.primaryKey, "is part of its key"),
            (table.columns.filter(\.isGenerated).map(\.name), "is computed"),
            (spelled([rule.expiry.column].compactMap(\.self)), "has the rows' time"),
            (spelled(rule.keepLastPer), "forms the groups of keep_last_per"),
            (table.uniqueColumns.sorted(), "a unique index has"),
            (keys.filter { $0.child == table.name }.flatMap(\.childColumns), "refers to another table"),
            (keys.filter { parents.contains($0.parent) }.flatMap(\.parentColumns), "another table refers to"),
        ]
    }

    /// The columns by which the other rules find their rows. One of these may name a table that is not there: then it is not
    /// this one.
    private static func uses(
        of table: Table, by rules: [RetentionRule], but rule: RetentionRule, in catalog: Catalog
    ) -> [Use] {
        rules.filter { $0.name != rule.name }.flatMap { other in
            other.decidingColumns(isOnTable: catalog.tableIfAny(named: other.table)?.name == table.name) {
                catalog.tableIfAny(named: $0.table, beside: table.name)?.name == table.name
            }.compactMap { deciding in
                (try? table.required(deciding.column, in: catalog)).map { ([$0.name], deciding.use) }
            }
        }
    }

    /// The names of the columns.
    package var names: [String] { columns.map(\.name) }

    /// The value of `column` as SQL; nil if it is not set.
    package func literal(of column: String) -> String? { columns.first { $0.name == column }?.literal }

    /// SQL that sets the columns.
    package var assignments: String {
        columns.map { "\($0.name.quoted("\"")) = \($0.literal)" }.joined(separator: ", ")
    }

    /// The setting of `rule` that says what is set.
    package func setting(of rule: RetentionRule) -> BlamedSetting? {
        guard case .mark(let marked) = rule.action, let first = marked.first else { return nil }
        guard marked.count > 1 else {
            return BlamedSetting(of: rule.name, first.keys, value: first.value.written)
        }
        let written = marked.map { "\($0.column) = \($0.value.written)" }.joined(separator: ", ")
        return BlamedSetting(of: rule.name, first.keys.dropLast(), value: "{ \(written) }")
    }
}

extension MarkedColumn {
    /// The keys of the column in the configuration, below the rule.
    fileprivate var keys: [String] { [RuleKey.action.rawValue, ActionKey.set.rawValue, column] }
}

extension ColumnConstant {
    /// The value as a file writes it.
    fileprivate var written: String {
        switch self {
        case .integer(let value): "\(value)"
        case .real(let value): "\(value)"
        case .text(let value): value.inQuotes
        }
    }
}
