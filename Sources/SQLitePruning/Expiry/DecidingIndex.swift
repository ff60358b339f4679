import Pruning
import SQLite

/// An index, or the order of a table, that decides which rows are deleted with others, or stay because of others. If it
/// lacks an entry or has a wrong one, a row could be lost. SQLite trusts it; here it is compared with its table.
struct DecidingIndex {
    let table: TableSchema
    /// The columns that are searched for, the first ones of the index.
    let columns: [(name: String, collation: String)]
    /// Nil for the table itself, which is in the order of these columns.
    let name: String?

    /// What a rule searches: keepers, the tables that its expressions read, and foreign keys that refer to rows that it
    /// deletes.
    static func all(of bound: BoundRule, in db: Database) throws -> [DecidingIndex] {
        let keepers = bound.keepers.flatMap { keeper in
            keeper.searches.filter { !$0.readsAll }.map {
                DecidingIndex(
                    table: keeper.table, columns: [(keeper.column, $0.collation)], name: $0.index)
            }
        }
        let parents = Set(bound.deletedTables.map(\.comparedName))
        let children = try db.rows(
            """
            SELECT DISTINCT t.name, k."from", i.name, part.coll, k."table", t.wr AND i.origin = 'pk'
            FROM pragma_table_list AS t, pragma_foreign_key_list(t.name) AS k, pragma_index_list(t.name) AS i, \
            pragma_index_xinfo(i.name) AS part
            WHERE t.schema = 'main' AND t.type = 'table' AND part.seqno = 0 AND part.name = k."from"
            """)
        return try keepers
            + children.filter { parents.contains($0[4].string.comparedName) }.compactMap { child in
                try TableSchema(child[0].string, in: db).map {
                    DecidingIndex(
                        table: $0, columns: [(child[1].string, child[3].string)],
                        name: child[5].integer == 1 ? nil : child[2].string)
                }
            } + bound.expressions.others.flatMap { try read(by: bound, $0, in: db) }
    }

    /// What the rule's expressions may search in `table`. An index on an expression is only known by its first columns.
    private static func read(
        by bound: BoundRule, _ table: TableSchema, in db: Database
    ) throws -> [DecidingIndex] {
        let plan = try db.queryPlan(
            of: "SELECT 1 \(bound.from(bound.expressions.terms.joined(separator: " AND ")))")
        let parts = try db.rows(
            """
            SELECT i.name, part.name, part.coll FROM pragma_index_list(:table) AS i, pragma_index_xinfo(i.name) AS part
            WHERE part.key ORDER BY i.name, part.seqno
            """, ["table": .text(table.name)])
        let indexes = Dictionary(grouping: parts) { $0[0].string }.compactMap { name, parts in
            let columns = parts.prefix { $0[1] != .null }.map {
                (name: $0[1].string, collation: $0[2].string)
            }
            let isUsed = plan.contains { ($0 + " ").contains("INDEX \(name) ") }
            return isUsed && !columns.isEmpty
                ? DecidingIndex(table: table, columns: columns, name: name) : nil
        }
        let key = zip(table.key, table.keyCollations).map { (name: $0, collation: $1) }
        return [DecidingIndex(table: table, columns: key, name: nil)] + indexes
    }

    /// Throws ``StoreErrorKind/damaged`` if one of them does not match its table. Each check costs a search
    /// for each row of the table.
    static func check(_ bound: BoundRule, path: String, in db: Database) throws {
        for index in try all(of: bound, in: db) where try !index.isWhole(in: db) {
            throw StoreError(
                .damaged, operation: "apply rule \(bound.rule.name)", place: path,
                cause: index.name.map { "index \($0) does not match its table \(index.table.name)" }
                    ?? "the rows of \(index.table.name) are out of order",
                hint: "look at the store with `PRAGMA integrity_check`"
                    + (index.name == nil ? "" : "; REINDEX makes the index anew"))
        }
    }

    /// Whether each row has an entry and is also found by its value alone, and there are no other entries.
    func isWhole(in db: Database) throws -> Bool {
        let row = table.name + " row"
        let (value, original) = (sql(columns[0].name, of: table.name), sql(columns[0].name, of: row))
        let entries = "SELECT 1 FROM \(table.name.quotedIdentifier) \(TableSchema.looking(into: name))"
        // A partial index may not serve a search by value alone.
        guard try db.queryPlanByIndex(of: "\(entries) WHERE \(value) IS NOT NULL") != nil else { return true }
        let isFound = "\(value) = \(original) COLLATE \(columns[0].collation.quotedIdentifier)"
        let isItself =
            columns.dropFirst().map {
                "\(sql($0.name, of: table.name)) IS \(sql($0.name, of: row)) COLLATE \($0.collation.quotedIdentifier)"
            } + table.key.map { "\(sql($0, of: table.name)) = \(sql($0, of: row))" }
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

    private func sql(_ column: String, of row: String) -> String {
        row.quotedIdentifier + "." + column.quotedIdentifier
    }
}
