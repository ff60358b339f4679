import Pruning
import Retention

/// A rule and a catalog: every name was checked, and has the catalog's spelling.
package struct Binding: Equatable, Sendable {
    package let rule: RetentionRule
    package let table: Table
    /// The column with the rows' time; nil if only keepers decide.
    package let time: Table.Column?
    /// The columns by which a row is known that came back.
    package let identity: [Table.Column]
    /// The columns that form the groups of `keep_last_per`.
    package let groups: [Table.Column]
    package let keepers: [BoundKeeper]
    /// Nil if the rule deletes rows.
    package let mark: Mark?
    package let tombstone: BoundTombstone?
    /// The tables that `dependents` names and that are there.
    package let dependents: [Table]
    /// The foreign keys by which rows of the table refer to others of it; empty for marks, which leave them.
    package let ownKeys: [ForeignKey]
    /// The foreign keys by which a deletion changes rows of other tables, or of its own where it detaches them; empty for
    /// marks.
    package let cascades: [ForeignKey]
    /// Those that the store enforces and the rule's own replace.
    package let replacedKeys: [ForeignKey]

    /// Throws a ``SchemaMismatch`` if the rule does not fit. `rules` are those of the store, `literal` gives a value of a
    /// column as SQL, and `count` looks at values where no foreign key tells what a keeper refers to.
    package init(
        _ rule: RetentionRule, _ catalog: Catalog, beside rules: [RetentionRule],
        literal: (ColumnConstant, Table.Column) throws -> String, count: BoundKeeper.ValueCount
    ) throws {
        self.rule = rule
        // Everything below compares names as Swift does.
        if let twins = catalog.tables.values.first(where: {
            Set($0.columns.map(\.name)).count < $0.columns.count
        }) {
            throw SchemaMismatch(
                "\(twins.name) has two columns whose names look the same", hint: "rename one of them")
        }
        let table = try SchemaMismatch.blaming(.table, rule.table) {
            let table = try catalog.table(named: rule.table)
            try Self.checkParts(of: table)
            return table
        }
        self.table = table
        time = try rule.expiry.column.map { column in
            try SchemaMismatch.blaming(rule.expiry.keys?.column ?? .ageColumn, column) {
                try table.required(column, in: catalog)
            }
        }
        identity = try SchemaMismatch.blaming([RuleKey.identity.rawValue]) {
            try rule.identity.map { try table.required($0, in: catalog) }
        }
        groups = try rule.keepLastPer.map { column in
            try SchemaMismatch.blaming(.keepLastPer, column) { try table.required(column, in: catalog) }
        }
        keepers = try rule.keptBy.map { reference in
            try SchemaMismatch.blaming(.keptBy, reference.description) {
                try BoundKeeper(reference, of: table, in: catalog, count: count)
            }
        }
        mark = try Mark(of: rule, on: table, beside: rules, in: catalog, literal: literal)
        tombstone = try BoundTombstone(of: rule, on: table, in: catalog)
        dependents = rule.dependents.sorted().compactMap { catalog.tableIfAny(named: $0, beside: table.name) }
        let declared = try catalog.declaredKeys(of: rule, on: table)
        try Self.checkDetached(declared, of: rule, on: table, beside: rules, in: catalog)
        let declaring = catalog.declaring(declared)
        let keys = declaring.foreignKeys.filter {
            $0.child == table.name && $0.parent == table.name && !$0.isDeclared
        }
        ownKeys = mark == nil ? keys : []
        cascades = mark == nil ? declaring.cascades(from: table.name) : []
        replacedKeys = catalog.foreignKeys.filter { !declaring.foreignKeys.contains($0) }
    }

    /// What the run does itself with rows that refer to those that it deletes.
    package var declaredKeys: [ForeignKey] { cascades.filter(\.isDeclared) }

    /// Throws if a column that `detach` names decides which rows a rule deletes.
    private static func checkDetached(
        _ keys: [ForeignKey], of rule: RetentionRule, on table: Table, beside rules: [RetentionRule],
        in catalog: Catalog
    ) throws(SchemaMismatch) {
        for key in keys where !key.cascades {
            for other in [rule] + rules.filter({ $0.name != rule.name }) {
                let own = catalog.tableIfAny(named: other.table)
                let deciding = other.decidingColumns(isOnTable: own?.name == key.child) {
                    catalog.tableIfAny(named: $0.table, beside: own?.name)?.name == key.child
                }
                guard let child = catalog.tables[key.child],
                    let use = deciding.first(where: {
                        (try? child.required($0.column, in: catalog))?.name == key.childColumns[0]
                    })?.use
                else { continue }
                throw SchemaMismatch(
                    "detach would set \(key.child).\(key.childColumns[0]) to NULL, which \(use)",
                    hint: "remove it from detach: such rows stay while a row refers to them",
                    keys: [RuleKey.detach.rawValue])
            }
        }
    }

    private static func checkParts(of table: Table) throws(SchemaMismatch) {
        guard !table.isPartition else {
            throw SchemaMismatch(
                "\(table.name) is a partition of another table",
                hint: "name the table that it is a partition of")
        }
        if let ancestor = table.ancestor {
            throw SchemaMismatch(
                "\(table.name) inherits from \(ancestor)", hint: "only partitions can be pruned together")
        }
        guard !table.hasHeirs else {
            throw SchemaMismatch(
                "other tables inherit from \(table.name)", hint: "only partitions can be pruned together")
        }
    }

    /// The columns of ``ownKeys``, as a person writes them.
    package var ownKeyNames: String {
        ownKeys.map { key in key.childColumns.map { "\(table.name).\($0)" }.joined(separator: ", ") }
            .joined(separator: " or ")
    }
}
