import Pruning
import Retention

/// The table in which a rule leaves a tombstone of each deleted row, checked.
package struct BoundTombstone: Equatable, Sendable {
    package let table: Table
    /// The columns of the tombstone, each with the column of the deleted row that it copies.
    package let columns: [Tombstone.CopiedColumn]
    /// The unique index that tells which tombstone is there already.
    package let key: Table.UniqueIndex

    /// Nil if the rule leaves none. Throws a ``SchemaMismatch`` if the tombstones do not fit their table. `rows` is that of
    /// the rule.
    init?(of rule: RetentionRule, on rows: Table, in catalog: Catalog) throws {
        guard let tombstone = rule.tombstone else { return nil }
        let table = try SchemaMismatch.blaming(Self.keys(.table), tombstone.table.inQuotes) {
            let table = try catalog.table(named: tombstone.table, beside: rows.name)
            guard table.name != rows.name else {
                throw SchemaMismatch(
                    "tombstones cannot be rows of \(rows.name) itself",
                    hint: "to keep rows, use action = { set = … }")
            }
            return table
        }
        let columns = try tombstone.columns.map { copied in
            try SchemaMismatch.blaming(Self.keys(.columns) + [copied.column], copied.source.inQuotes) {
                let column = try table.required(copied.column, in: catalog)
                guard !column.isGenerated else {
                    throw SchemaMismatch(
                        "\(table.name).\(column.name) is computed and cannot be written",
                        hint: "leave it out of the tombstone")
                }
                return Tombstone.CopiedColumn(
                    column.name, from: try rows.required(copied.source, in: catalog).name)
            }
        }
        let given = columns.map { "\($0.column) = \($0.source.inQuotes)" }.joined(separator: ", ")
        (self.table, self.columns) = (table, columns)
        key = try SchemaMismatch.blaming(Self.keys(.columns), "{ \(given) }") {
            let given = Set(columns.map(\.column))
            if let missing = table.columns.first(where: { $0.needsValue && !given.contains($0.name) }) {
                throw SchemaMismatch(
                    "a tombstone in \(table.name) needs a value of \(missing.name)",
                    hint: "name the column of \(rows.name) that it copies")
            }
            return try Self.key(of: table, givenAll: given)
        }
    }

    /// The keys of a key of the tombstone in the configuration, below the rule.
    package static func keys(_ key: TombstoneKey) -> [String] {
        [RuleKey.tombstone.rawValue, key.rawValue]
    }

    /// The unique index that tells which tombstone is there already. Without one each would be written again and again, and
    /// each deletion would read the whole table. Throws if another one would refuse a tombstone that is not there.
    private static func key(of table: Table, givenAll given: Set<String>) throws -> Table.UniqueIndex {
        let set = table.uniqueIndexes.filter { given.isSuperset(of: $0.columns) }
        let keys = set.filter(\.isWhole)
        guard let first = keys.first else {
            throw SchemaMismatch(
                "no unique index of \(table.name) is on columns of the tombstone alone",
                hint: "name the columns by which its app finds a tombstone")
        }
        if let key = keys.first(where: { set.allSatisfy($0.isImplied) }) { return key }
        let further = set.first { !first.isImplied(by: $0) } ?? first
        throw SchemaMismatch(
            "another unique index of \(table.name), on \(further.columns.joined(separator: ", ")), would refuse tombstones"
                + " that are not there yet",
            hint: "name only columns of one unique index")
    }

    /// The source of a column of the key.
    package func source(of column: String) -> String? { columns.first { $0.column == column }?.source }
}
