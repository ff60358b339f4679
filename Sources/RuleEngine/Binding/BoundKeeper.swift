import Pruning
import Retention

/// The column that a rule's `kept_by` names, and the key that is searched for in it.
package struct BoundKeeper: Equatable, Sendable {
    package let table: Table
    package let column: Table.Column
    /// The key of the rule's table.
    package let key: Table.Column
    /// Whether a foreign key refers from the column to the key.
    package let hasForeignKey: Bool

    /// Tells how many of some values of a column of the rule's table are in a column of another: of at most
    /// ``sample``. Nil if the two are not compared.
    package typealias ValueCount = (_ kept: Table.Column, Table, _ keeper: Table.Column) throws -> (
        found: Int64, rows: Int64
    )?

    /// Throws a ``SchemaMismatch`` if `reference` cannot keep rows of `kept`.
    init(
        _ reference: ColumnReference, of kept: Table, in catalog: Catalog, count: ValueCount
    ) throws {
        guard kept.primaryKey.count == 1, let key = kept.column(kept.primaryKey[0]) else {
            throw SchemaMismatch(
                "kept_by needs a primary key of one column, and that of \(kept.name) has"
                    + " \(kept.primaryKey.count)",
                hint: Self.protection(of: kept, from: reference, in: catalog))
        }
        let table = try catalog.table(named: reference.table, beside: kept.name)
        guard table.name != kept.name, !kept.parts.contains(table.name), !table.parts.contains(kept.name)
        else { throw Self.deleted(table.name) }
        // Its rows would hide those of the rule's table in a search.
        guard table.name.name != kept.name.name else {
            throw SchemaMismatch(
                "kept_by names \(table.name), which has the name of the rule's own table",
                hint: "such a keeper cannot be told apart; rename one of them")
        }
        let column = try table.required(reference.column, in: catalog)
        (self.table, self.column, self.key) = (table, column, key)
        let foreignKeys = catalog.foreignKeys.filter {
            $0.child == table.name && $0.childColumns == [column.name] && $0.parent == kept.name
        }
        hasForeignKey = !foreignKeys.isEmpty
        if let other = foreignKeys.first(where: { $0.parentColumns != kept.primaryKey }) {
            throw SchemaMismatch(
                "\(reference) refers to \(other.parentColumns.joined(separator: ", ")) of \(kept.name) (a foreign key),"
                    + " not to its key",
                hint: "protect the rows instead: protect ="
                    + " \"EXISTS (SELECT 1 FROM \(table.name) WHERE \(table.name.name).\(column.name) ="
                    + " \(kept.name.name).\(other.parentColumns.joined()))\"")
        }
        if !hasForeignKey { try checkPlace(of: kept, in: catalog, count: count) }
    }

    /// What keeps the rows of a table to which others refer by several columns, or by none.
    private static func protection(
        of kept: Table, from reference: ColumnReference, in catalog: Catalog
    ) -> String {
        let keeper = catalog.tableIfAny(named: reference.table, beside: kept.name)
        let key = catalog.foreignKeys.first { $0.child == keeper?.name && $0.parent == kept.name }
        let columns =
            key.map { zip($0.childColumns, $0.parentColumns).map { ($0, $1) } }
            ?? kept.primaryKey.map { ("COLUMN", $0) }
        guard !columns.isEmpty else { return "protect the rows by a condition: kept_by needs a key" }
        let name = keeper?.name.name ?? reference.table
        let terms = columns.map { "\(name).\($0) = \(kept.name.name).\($1)" }.joined(separator: " AND ")
        return "protect the rows by a condition on all columns of the key: protect ="
            + " \"EXISTS (SELECT 1 FROM \(keeper?.name.description ?? name) WHERE \(terms))\""
    }

    /// A keeper of which the rule deletes rows. Each batch would release rows that the batch before it still kept, and that
    /// nobody has counted.
    static func deleted(_ table: TableName) -> SchemaMismatch {
        SchemaMismatch(
            "kept_by names a column of \(table), whose rows the rule itself deletes",
            hint: "what is kept must not depend on what is deleted; name a column of another table",
            keys: [RuleKey.keptBy.rawValue])
    }

    /// Throws if the column is the key of its table, and the rule's table refers to it. It would keep only rows that have a key
    /// in common with the other table by chance.
    private func checkPlace(of kept: Table, in catalog: Catalog, count: ValueCount) throws {
        guard table.primaryKey == [column.name], let referring = try referring(of: kept, in: catalog, count)
        else { return }
        let (own, other) = ("\(table.name.name).\(column.name)", "\(kept.name.name).\(referring)")
        let exists = "EXISTS (SELECT 1 FROM \(table.name) WHERE \(own) = \(other))"
        throw SchemaMismatch(
            "kept_by names \(table.name).\(column.name), the key of \(table.name), which refers to nothing: \(other) refers"
                + " to it",
            hint: "kept_by names a column of another table that has keys of \(kept.name); rows whose row of"
                + " \(table.name) is there stay by protect = [\"\(exists)\"], in a rule with an age_column")
    }

    /// The column of the rule's table that refers to this one; nil if there is none, or if both tables have their keys in
    /// common.
    private func referring(of kept: Table, in catalog: Catalog, _ count: ValueCount) throws -> String? {
        let children = catalog.foreignKeys.filter {
            $0.child == kept.name && $0.parent == table.name && $0.parentColumns == [column.name]
        }.map { $0.childColumns[0] }
        if !children.isEmpty { return children.contains(key.name) ? nil : children[0] }
        // Without foreign keys the values tell. The keys of both tables may be the same, as in the built-in rules, or be so by
        // chance: then a name tells.
        let isKeyFound = try count(key, table, column)?.found ?? 0 > 0
        return try kept.columns.first { other in
            guard other.name != key.name, !isKeyFound || table.name.isMeant(by: other.name),
                let (found, rows) = try count(other, table, column)
            else { return false }
            return rows > 0 && found * 2 >= rows
        }?.name
    }

    /// How many rows are looked at where no foreign key tells.
    package static let sample = 1_000
}

extension TableName {
    /// Whether a column of this name is one that has keys of the table: `feed` or `feed_id` those of `feed`, `feeds` or
    /// `app_feeds`.
    fileprivate func isMeant(by column: String) -> Bool {
        var (word, table) = (column.lowercased(), name.lowercased())
        for suffix in ["_id", "id"] where word.hasSuffix(suffix) && word.count > suffix.count {
            word.removeLast(suffix.count)
            break
        }
        if table.hasSuffix("s") { table.removeLast() }
        return table == word || table.hasSuffix("_" + word)
    }
}
