import Retention
import TerminalText

/// What is known of a store's schema when a rule is bound: the tables that rules name, and the foreign keys that reach or
/// leave them.
package struct Catalog: Equatable, Sendable {
    package enum Kind: Sendable {
        case table, view, virtual, foreign
        /// A table of SQLite whose three names for the rowid are columns.
        case withoutPlace
        case other
    }

    private let names: SchemaNames
    /// Whatever a rule could mean by a name, and what it is.
    package var kinds: [TableName: Kind] = [:]
    package var tables: [TableName: Table] = [:]
    package var foreignKeys: [ForeignKey] = []

    package init(_ names: SchemaNames) { self.names = names }

    /// The table that a rule means by `name`: one of this name, or `schema.table`. A name without a schema is one beside
    /// another table, or in the usual schema. One that only another schema has is not meant: it may be a copy that stays when
    /// the app's own table is gone.
    ///
    /// Throws if there is none, if the name means several, or if it is that of no table.
    package func table(named name: String, beside other: TableName? = nil) throws(SchemaMismatch) -> Table {
        let bare = kinds.keys.filter { isSame($0.name, name) }
        let qualified = kinds.keys.filter { found in
            (found.schema ?? names.usualSchema).map { isSame("\($0).\(found.name)", name) } ?? false
        }
        let meant = [other?.schema, nil].lazy.compactMap { schema in bare.first { $0.schema == schema } }
            .first
        switch (meant, qualified.count) {
        case (let meant?, 0): return try table(meant)
        case (nil, 1): return try table(qualified[0])
        case (nil, 0):
            guard let elsewhere = bare.min() else { throw missing(name) }
            throw SchemaMismatch(
                "there is no table \(name) in the schema \(names.usualSchema ?? "")",
                hint: "write the schema before the name: \(elsewhere)?")
        default:
            throw SchemaMismatch(
                "\(name) is a table of \(names.usualSchema ?? ""), and one of another schema",
                hint: "rename one of them: a name must mean one table")
        }
    }

    private func isSame(_ a: String, _ b: String) -> Bool {
        names.compared(a).utf8.elementsEqual(names.compared(b).utf8)
    }

    /// The same, or nil.
    package func tableIfAny(named name: String, beside other: TableName? = nil) -> Table? {
        try? table(named: name, beside: other)
    }

    private func table(_ name: TableName) throws(SchemaMismatch) -> Table {
        switch kinds[name] ?? .other {
        case .table: return tables[name] ?? Table(name)
        case .view: throw SchemaMismatch("\(name) is a view", hint: "name the table that has its rows")
        case .virtual:
            throw SchemaMismatch("\(name) is (part of) a virtual table", hint: "name an ordinary table")
        case .foreign:
            throw SchemaMismatch(
                "\(name) is a foreign table, whose rows another server has", hint: "prune it on that server")
        case .withoutPlace:
            throw SchemaMismatch(
                "table \(name) has columns named rowid, _rowid_ and oid",
                hint: "its rows cannot be addressed")
        case .other:
            throw SchemaMismatch("\(name) is no ordinary table", hint: "name the table that has its rows")
        }
    }

    private func missing(_ name: String) -> SchemaMismatch {
        let names = kinds.filter { $0.value == .table }.keys.sorted().map(\.description)
        let near = names.first { $0.lowercased() == name.lowercased() } ?? names.nearest(to: name)
        let known =
            names.isEmpty ? "check the store: it has no tables" : "its tables are " + names.listed(Self.most)
        return SchemaMismatch(
            "there is no table \"\(name)\"", hint: near.map { "did you mean \($0)?" } ?? known)
    }

    /// So many names are listed in a hint.
    static let most = 20

    /// Whether two tables have rows in common: one is the other, or a part of it.
    package func overlaps(_ a: TableName, _ b: TableName) -> Bool {
        a == b || tables[a]?.parts.contains(b) ?? false || tables[b]?.parts.contains(a) ?? false
    }

    /// The foreign keys by which a deletion in `table` changes rows of other tables, and those of these tables in turn, without
    /// those of `table` to itself: its own rows go after those that refer to them.
    package func cascades(from table: TableName) -> [ForeignKey] {
        let acting = Dictionary(grouping: foreignKeys.filter(\.acts), by: \.parent)
        var found: [ForeignKey] = []
        var (waiting, seen): ([TableName], Set<TableName>) = ([table], [table])
        while let next = waiting.popLast() {
            // A foreign key may refer to one partition alone.
            let parents = [next] + (tables[next]?.parts.sorted() ?? [])
            for key in parents.flatMap({ acting[$0] ?? [] })
            where key.child != table || key.parent != table || key.isDeclared {
                found.append(key)
                if key.cascades, seen.insert(key.child).inserted { waiting.append(key.child) }
            }
        }
        return found
    }
}

extension Table {
    /// The column that `name` means in `catalog`. Throws if there is none.
    package func required(_ name: String, in catalog: Catalog) throws(SchemaMismatch) -> Column {
        if let column = catalog.column(name, of: self) { return column }
        let names = columns.map(\.name)
        let near = names.first { $0.lowercased() == name.lowercased() } ?? names.nearest(to: name)
        throw SchemaMismatch(
            "table \(self.name) has no column \"\(name)\"",
            hint: near.map { "did you mean \($0)?" } ?? "its columns are " + names.listed(Catalog.most))
    }
}

extension RetentionRule {
    /// The tables that it names, but for those of its conditions.
    package var tables: [String] {
        [table] + dependents + (keptBy + detach + (orphansOf.map { [$0.key] } ?? [])).map(\.table)
            + [tombstone?.table].compactMap(\.self)
    }
}

extension Catalog {
    fileprivate func column(_ name: String, of table: Table) -> Table.Column? {
        table.columns.first { isSame($0.name, name) }
    }
}

extension [String] {
    fileprivate func listed(_ most: Int) -> String {
        prefix(most).joined(separator: ", ") + (count > most ? ", …" : "")
    }
}
