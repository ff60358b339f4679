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
    /// Whether it has expressions, or only some rows: then only SQLite can tell what belongs into it.
    var isComputed = false

    /// What a rule searches: keepers, the tables that its conditions read, and foreign keys that refer to rows that it
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
            } + bound.others.flatMap { try read(by: bound, $0, in: db) }
    }

    /// What the rule's conditions may search in `table`.
    private static func read(
        by bound: BoundRule, _ table: TableSchema, in db: Database
    ) throws -> [DecidingIndex] {
        let terms = bound.conditions.terms + [bound.conditions.tombstone?.isTrue].compactMap(\.self)
        let plan = try db.queryPlan(of: "SELECT 1 \(bound.from(terms.joined(separator: " AND ")))")
        let parts = try db.rows(
            """
            SELECT i.name, part.name, part.coll, i.partial FROM pragma_index_list(:table) AS i, \
            pragma_index_xinfo(i.name) AS part WHERE part.key ORDER BY i.name, part.seqno
            """, ["table": .text(table.name)])
        let indexes = Dictionary(grouping: parts) { $0[0].string }.compactMap { name, parts in
            let columns = parts.prefix { $0[1] != .null }.map {
                (name: $0[1].string, collation: $0[2].string)
            }
            let isComputed = columns.count < parts.count || parts[0][3].integer != 0
            return plan.contains { ($0 + " ").contains("INDEX \(name) ") }
                ? DecidingIndex(table: table, columns: columns, name: name, isComputed: isComputed) : nil
        }
        let key = zip(table.key, table.keyCollations).map { (name: $0, collation: $1) }
        return [DecidingIndex(table: table, columns: key, name: nil)] + indexes
    }

    /// Throws ``StoreErrorKind/damaged`` if an index by which the condition decides does not match its table.
    static func check(_ condition: ExpiryCondition, path: String, in db: Database) throws {
        try check(condition.bound, path: path, in: db)
        try checkGroups(condition, path: path, in: db)
    }

    /// Throws ``StoreErrorKind/damaged`` if the index by which the newest rows of groups were found does not have them.
    static func checkGroups(_ condition: ExpiryCondition, path: String, in db: Database) throws {
        guard let groups = condition.groups, try !groups.areRows(condition.values(), in: db) else { return }
        throw damage(of: groups.index, on: condition.bound.table, condition.bound, path: path)
    }

    /// Throws ``StoreErrorKind/damaged`` if one of them does not match its table. Each check costs a search
    /// for each row of the table.
    static func check(_ bound: BoundRule, path: String, in db: Database) throws {
        for index in try all(of: bound, in: db) where try !index.isWhole(in: db) {
            throw damage(
                of: index.name, on: index.table, bound, isComputed: index.isComputed, path: path)
        }
    }

    /// The error for an index, or, if that is nil, the order of a table.
    static func damage(
        of index: String?, on table: TableSchema, _ bound: BoundRule, isComputed: Bool = false, path: String
    ) -> StoreError {
        StoreError(
            .damaged, operation: "apply rule \(bound.rule.name)", place: path,
            cause: index.map { "index \($0) does not match its table \(table.name)" }
                ?? "the rows of \(table.name) are out of order",
            hint: isComputed
                ? "its app may define a function of the index otherwise than SQLite, or the index is damaged, see `PRAGMA"
                    + " integrity_check`; REINDEX makes it anew"
                : "look at the store with `PRAGMA integrity_check`"
                    + (index == nil ? "" : "; REINDEX makes the index anew"))
    }

    /// Whether each row has an entry by which it is found, and there are no other entries. If each entry is found by its
    /// whole key, all are in order: of any two, the search for one or the other meets an entry that is not after the first
    /// and not before the second. So a value alone finds its rows, too.
    func isWhole(in db: Database) throws -> Bool {
        guard !isComputed else { return try isIntact(in: db) }
        if name == nil, columns.count < table.key.count { return try areRowsFound(in: db) }
        let row = table.name + " row"
        let (value, original) = (sql(columns[0].name, of: table.name), sql(columns[0].name, of: row))
        let entries = "SELECT 1 FROM \(table.name.quotedIdentifier) \(table.looking(into: name))"
        // A partial index may not serve a search by value alone.
        guard try db.queryPlanByIndex(of: "\(entries) WHERE \(value) IS NOT NULL") != nil else { return true }
        let isFound = "\(value) = \(original) COLLATE \(columns[0].collation.quotedIdentifier)"
        let isItself =
            columns.dropFirst().map {
                "\(sql($0.name, of: table.name)) IS \(sql($0.name, of: row)) COLLATE \($0.collation.quotedIdentifier)"
            } + table.key.map { "\(sql($0, of: table.name)) = \(sql($0, of: row))" }
        let rows =
            "FROM \(table.name.quotedIdentifier) AS \(row.quotedIdentifier) \(table.looking(into: nil)) WHERE \(original) IS NOT NULL"
        return try db.value(
            """
            SELECT (SELECT count(*) FROM (\(entries) WHERE \(value) IS NOT NULL)) = (SELECT count(*) \(rows))
            AND NOT EXISTS (SELECT 1 \(rows) AND NOT EXISTS (\(entries) WHERE \(([isFound] + isItself).joined(separator: " AND "))))
            """
        ).integer == 1
    }

    /// Whether the table itself finds each of its rows by the first column of its key. Of rows that stand together one search
    /// tells: it must find as many, and no others may have their value.
    private func areRowsFound(in db: Database) throws -> Bool {
        let itself = "FROM \(table.name.quotedIdentifier) \(table.looking(into: nil))"
        let run = (table.name + " run").quotedIdentifier
        let value =
            "\(sql(columns[0].name, of: table.name)) COLLATE \(columns[0].collation.quotedIdentifier)"
        return try db.value(
            """
            SELECT count(value) = count(DISTINCT value)
            AND ifnull(max(rows <> (SELECT count(*) \(itself) WHERE \(value) = \(run).value)), 0) = 0
            FROM (SELECT \(value) AS value, count(*) AS rows \(itself) GROUP BY 1 HAVING value IS NOT NULL) AS \(run)
            """
        ).integer == 1
    }

    /// Whether SQLite finds what belongs into the index, and nothing else. It computes expressions as it does for a rule.
    private func isIntact(in db: Database) throws -> Bool {
        let findings = try db.rows("PRAGMA main.integrity_check(\(table.name.quotedIdentifier))")
            .map(\.[0].string)
        // It also names what the rule does not need: rows that a CHECK would refuse. Its list ends after 100 lines.
        return findings.count < 100
            && !findings.contains { $0.hasPrefix("***") || $0.hasSuffix("index \(name ?? "")") }
    }

    private func sql(_ column: String, of row: String) -> String {
        row.quotedIdentifier + "." + column.quotedIdentifier
    }
}
