import Pruning
import SQLite

/// An index that decides which rows are deleted with others, or stay because of others. If it lacks an entry or has a
/// wrong one, a row could be lost. SQLite trusts an index; here it is compared with its table.
struct DecidingIndex {
    let table: TableSchema
    let column: String
    let name: String
    let collation: String

    /// The indexes on the keeper's column that a rule searches, and those of the foreign keys that refer to rows that
    /// the rule deletes. A table in the order of the column needs no index.
    static func all(of bound: BoundRule, in db: Database) throws -> [DecidingIndex] {
        let keepers = bound.keepers.flatMap { keeper in
            keeper.searches.compactMap { search in
                search.index.map {
                    DecidingIndex(
                        table: keeper.table, column: keeper.column, name: $0, collation: search.collation)
                }
            }
        }
        let parents = Set(bound.deletedTables.map(\.comparedName))
        let children = try db.rows(
            """
            SELECT DISTINCT t.name, k."from", i.name, part.coll, k."table"
            FROM pragma_table_list AS t, pragma_foreign_key_list(t.name) AS k, pragma_index_list(t.name) AS i, \
            pragma_index_xinfo(i.name) AS part
            WHERE t.schema = 'main' AND t.type = 'table' AND NOT (t.wr AND i.origin = 'pk')
            AND part.seqno = 0 AND part.name = k."from"
            """)
        return try keepers
            + children.filter { parents.contains($0[4].string.comparedName) }.compactMap { child in
                try TableSchema(child[0].string, in: db).map {
                    DecidingIndex(
                        table: $0, column: child[1].string, name: child[2].string, collation: child[3].string)
                }
            }
    }

    /// Throws ``StoreErrorKind/damaged`` if one of them does not match its table. Each check costs a search
    /// for each row of the table.
    static func check(_ bound: BoundRule, path: String, in db: Database) throws {
        for index in try all(of: bound, in: db) where try !index.isWhole(in: db) {
            throw StoreError(
                .damaged, operation: "apply rule \(bound.rule.name)", place: path,
                cause: "index \(index.name) does not match its table \(index.table.name)",
                hint: "look at the store with `PRAGMA integrity_check`; REINDEX makes the index anew")
        }
    }

    /// Whether each row has an entry and is also found by its value alone, and there are no other entries.
    func isWhole(in db: Database) throws -> Bool {
        let row = table.name + " row"
        let (value, original) = (sql(table.name), sql(row))
        let entries = "SELECT 1 FROM \(table.name.quotedIdentifier) \(TableSchema.looking(into: name))"
        // A partial index may not serve a search by value alone.
        guard try db.queryPlanByIndex(of: "\(entries) WHERE \(value) IS NOT NULL") != nil else { return true }
        let isFound = "\(value) = \(original) COLLATE \(collation.quotedIdentifier)"
        let isItself = table.key.map {
            "\(table.column($0)) = \(row.quotedIdentifier).\($0.quotedIdentifier)"
        }
        let rows =
            "FROM \(table.name.quotedIdentifier) AS \(row.quotedIdentifier) NOT INDEXED WHERE \(original) IS NOT NULL"
        return try db.value(
            """
            SELECT (SELECT count(*) FROM (\(entries) WHERE \(value) IS NOT NULL)) = (SELECT count(*) \(rows))
            AND NOT EXISTS (SELECT 1 \(rows) AND NOT (EXISTS (\(entries) WHERE \(isFound))
            AND EXISTS (\(entries) WHERE \(([isFound] + isItself).joined(separator: " AND ")))))
            """
        ).integer == 1
    }

    private func sql(_ row: String) -> String {
        row.quotedIdentifier + "." + column.quotedIdentifier
    }
}
