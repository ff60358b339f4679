import CSQLite
import Pruning
import SQLite

/// An index, or the order of a table, that decides which rows are deleted with others, or stay because of others. If it
/// lacks an entry or has a wrong one, a row could be lost. SQLite trusts it; here it is compared with its table.
struct DecidingIndex {
    let table: TableSchema
    /// The columns of the index, or, of the table itself, those that are searched for. They are the first of its key.
    let columns: [(name: String, collation: String)]
    /// Nil for the table itself, which is in the order of these columns.
    let name: String?
    /// Whether it has expressions, or only some rows: then only SQLite can tell what belongs into it.
    var isComputed = false
    /// Whether rows without a value in the first column are searched for, too.
    var holdsNull = false
    /// The columns that it has, in whatever place, in the form of `comparedName`.
    private(set) var held: Set<[UInt8]> = []

    /// What a rule searches: keepers, the tables that its conditions read, and foreign keys that refer to rows that it
    /// deletes.
    static func all(of bound: BoundRule, in db: Database) throws -> [DecidingIndex] {
        let parents = Set(bound.deletedTables.map(\.comparedName))
        let parts = try db.rows(
            """
            SELECT t.name, k.id, k."from", k."table" FROM pragma_table_list AS t, pragma_foreign_key_list(t.name) AS k
            WHERE t.schema = 'main' AND t.type = 'table' ORDER BY t.name, k.id, k.seq
            """)
        var all = try bound.keepers.flatMap { try searched(by: $0, in: db) }
        let keys = Dictionary(grouping: parts) { $0[0].string.comparedName + [0] + "\($0[1].integer)".utf8 }
        for key in keys.values {
            guard parents.contains(key[0][3].string.comparedName),
                let child = try TableSchema(key[0][0].string, in: db)
            else { continue }
            all += try searched(by: key.map { $0[2].string }, on: child, in: db)
        }
        for table in bound.others { all += try read(by: bound, table, in: db) }
        // How a trigger searches a table is not known.
        for name in bound.readByCode {
            if let table = try TableSchema(name, in: db) { all += try searched(anyhow: table, in: db) }
        }
        return all
    }

    /// What the searches for a keeper's column read.
    private static func searched(by keeper: Keeper, in db: Database) throws -> [DecidingIndex] {
        try keeper.searches.filter { !$0.readsAll }.map { search in
            let index = try search.index.flatMap { name in
                try Self.all(on: keeper.table, in: db).first { $0.name == name }
            }
            let own = [(name: keeper.column, collation: search.collation)]
            return DecidingIndex(
                table: keeper.table, columns: index?.columns ?? own, name: search.index,
                isComputed: index?.isComputed ?? false)
        }
    }

    /// What SQLite may search, or read instead of the table, to find the rows that have given values in `columns`.
    private static func searched(
        by columns: [String], on table: TableSchema, in db: Database
    ) throws -> [DecidingIndex] {
        let wanted = Set(columns.map(\.comparedName))
        let all = try all(on: table, in: db)
        let leading = try all.compactMap { index -> DecidingIndex? in
            let prefix = index.columns.prefix { wanted.contains($0.name.comparedName) }
            guard let first = prefix.first else { return nil }
            guard let name = index.name else {
                return DecidingIndex(table: table, columns: Array(prefix), name: nil)
            }
            let search =
                "SELECT 1 FROM \(table.name.quotedIdentifier) INDEXED BY \(name.quotedIdentifier) WHERE \(table.column(first.name)) = 1"
            let isSearched = try db.queryPlanByIndex(of: search)?.contains { $0.hasPrefix("SEARCH ") }
            return isSearched == true ? index : nil
        }
        guard leading.isEmpty else { return leading }
        return all.filter { $0.name != nil && wanted.isSubset(of: $0.held) }.map(\.holdingNull)
    }

    private static func searched(anyhow table: TableSchema, in db: Database) throws -> [DecidingIndex] {
        try [itself(table)] + all(on: table, in: db).filter { $0.name != nil }.map(\.holdingNull)
    }

    private static func itself(_ table: TableSchema) -> DecidingIndex {
        let key = zip(table.key, table.keyCollations).map { (name: $0, collation: $1) }
        return DecidingIndex(table: table, columns: key, name: nil)
    }

    /// The same, where rows without a value are searched for, too.
    private var holdingNull: DecidingIndex {
        var index = self
        index.holdsNull = true
        return index
    }

    /// The indexes of a table, each with its columns up to the first expression. That of the key of a table without rowids is
    /// the table.
    private static func all(on table: TableSchema, in db: Database) throws -> [DecidingIndex] {
        let parts = try db.rows(
            """
            SELECT i.name, part.name, part.coll, i.partial, i.origin FROM pragma_index_list(:table) AS i, \
            pragma_index_xinfo(i.name) AS part WHERE part.key ORDER BY i.name, part.seqno
            """, ["table": .text(table.name)])
        return Dictionary(grouping: parts) { $0[0].string.comparedName }.values.map { parts in
            let columns = parts.prefix { $0[1] != .null }.map {
                (name: $0[1].string, collation: $0[2].string)
            }
            let isOwn = table.isWithoutRowID && parts[0][4].string == "pk"
            return DecidingIndex(
                table: table, columns: columns, name: isOwn ? nil : parts[0][0].string,
                isComputed: columns.count < parts.count || parts[0][3].integer != 0,
                held: Set(parts.filter { $0[1] != .null }.map(\.[1].string.comparedName)))
        }
    }

    /// What the rule's conditions may search in `table`.
    private static func read(
        by bound: BoundRule, _ table: TableSchema, in db: Database
    ) throws -> [DecidingIndex] {
        let terms = bound.conditions.terms + [bound.conditions.tombstone?.isTrue].compactMap(\.self)
        let plan = try db.queryPlan(of: "SELECT 1 \(bound.from(terms.joined(separator: " AND ")))")
        let indexes = try all(on: table, in: db).filter { index in
            index.name.map { name in plan.contains { ($0 + " ").contains("INDEX \(name) ") } } ?? false
        }
        return [itself(table)] + indexes.map(\.holdingNull)
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
        guard let name else { return try areRowsFound(in: db) }
        if isComputed, let isIntact = try isIntact(in: db) { return isIntact }
        guard !columns.isEmpty else { return true }
        let row = table.name + " row"
        let (value, original) = (sql(columns[0].name, of: table.name), sql(columns[0].name, of: row))
        let entries = "SELECT 1 FROM \(table.name.quotedIdentifier) \(table.looking(into: name))"
        let has = { (value: String) in holdsNull ? "1" : "\(value) IS NOT NULL" }
        // A partial index may not serve a search by value alone.
        guard try db.queryPlanByIndex(of: "\(entries) WHERE \(has(value))") != nil else { return true }
        let isItself =
            columns.enumerated().map { place, column in
                let way = holdsNull || place > 0 ? "IS" : "="
                return
                    "\(sql(column.name, of: table.name)) \(way) \(sql(column.name, of: row)) COLLATE \(column.collation.quotedIdentifier)"
            }
            + zip(table.key, table.keyCollations).map { key, collation in
                "\(sql(key, of: table.name)) = \(sql(key, of: row)) COLLATE \(collation.quotedIdentifier)"
            }
        let rows =
            "FROM \(table.name.quotedIdentifier) AS \(row.quotedIdentifier) \(table.looking(into: nil)) WHERE \(has(original))"
        return try db.value(
            """
            SELECT (SELECT count(*) FROM (\(entries) WHERE \(has(value)))) = (SELECT count(*) \(rows))
            AND NOT EXISTS (SELECT 1 \(rows) AND NOT EXISTS (\(entries) WHERE \(isItself.joined(separator: " AND "))))
            """
        ).integer == 1
    }

    /// Whether the table itself finds each of its rows by these columns of its key. Of rows that stand together one search tells:
    /// it must find as many, and no others may have their values. So no page stands twice either.
    private func areRowsFound(in db: Database) throws -> Bool {
        let itself = "FROM \(table.name.quotedIdentifier) \(table.looking(into: nil))"
        let run = (table.name + " run").quotedIdentifier
        let values = columns.enumerated().map {
            (name: "v\($0)", way: " COLLATE \($1.collation.quotedIdentifier)")
        }
        let keys = zip(columns, values).map { "\(sql($0.name, of: table.name))\($1.way)" }
        let selected = zip(keys, values).map { "\($0) AS \($1.name)" }.joined(separator: ", ")
        let isOfRun = zip(keys, values).map { "\($0) = \(run).\($1.name)" }.joined(separator: " AND ")
        let distinct = values.map { $0.name + $0.way }.joined(separator: ", ")
        return try db.value(
            """
            WITH \(run) AS MATERIALIZED \
            (SELECT \(selected), count(*) AS n \(itself) GROUP BY \(keys.joined(separator: ", ")))
            SELECT (SELECT count(*) FROM \(run)) = (SELECT count(*) FROM (SELECT DISTINCT \(distinct) FROM \(run)))
            AND NOT EXISTS (SELECT 1 FROM \(run) WHERE n <> (SELECT count(*) \(itself) WHERE \(isOfRun)))
            """
        ).integer == 1
    }

    /// Whether SQLite finds what belongs into the index, and nothing else. It computes expressions as it does for a rule. Nil
    /// if it cannot, because only the app has what an index of the table needs: then no statement of a run computes it either.
    private func isIntact(in db: Database) throws -> Bool? {
        let findings: [String]
        do {
            findings = try db.rows("PRAGMA main.integrity_check(\(table.name.quotedIdentifier))").map(
                \.[0].string)
        } catch {
            guard error.code & 0xFF == SQLITE_ERROR else { throw error }
            return nil
        }
        // It also names what the rule does not need: rows that a CHECK would refuse. Its list ends after 100 lines.
        return findings.count < 100
            && !findings.contains { $0.hasPrefix("***") || $0.hasSuffix("index \(name ?? "")") }
    }

    private func sql(_ column: String, of row: String) -> String {
        row.quotedIdentifier + "." + column.quotedIdentifier
    }
}
