import Retention
import RuleEngine

/// A table or view that has a name of a rule.
struct NamedRelation {
    let oid: UInt32
    let name: TableName
    let kind: Relation.Kind

    /// From a row of ``Connection/names(_:)``.
    init(_ row: [String?]) {
        oid = UInt32(row[0] ?? "") ?? 0
        name = TableName(row[2] ?? "", inSchema: row[1])
        kind = row[3].flatMap(Relation.Kind.init) ?? .other
    }
}

extension Catalog {
    /// What `found` is, which is all that `names` can mean, and where one means nothing, the tables that a hint may name.
    init(of names: [String], _ found: [NamedRelation], in connection: Connection) throws {
        self.init(.postgresql)
        let known = found.map(\.name).flatMap { name in
            [name.name, "\(name.schema ?? Relation.usualSchema).\(name.name)"]
        }
        if !Set(names).isSubset(of: known) {
            for name in try connection.tableNames() { kinds[name] = .table }
        }
        for relation in found { kinds[relation.name] = relation.kind.inCatalog }
    }
}

extension Relation.Kind {
    fileprivate var inCatalog: Catalog.Kind {
        switch self {
        case .table, .partitioned: .table
        case .view, .materializedView: .view
        case .foreign: .foreign
        case .other: .other
        }
    }
}

/// The catalog of a rule, and the server's numbers for what is in it.
struct RuleCatalog {
    private(set) var catalog: Catalog
    private var relations: [TableName: Relation] = [:]
    private var keys: [ForeignKey: ForeignKeyConstraint] = [:]

    /// What `rules` name, and the tables `read` of conditions; the foreign keys that reach from a table of `rules`, and those
    /// of the tables themselves.
    init(of rules: [RetentionRule], reading read: [String], in connection: Connection) throws {
        let names = Set((rules.flatMap(\.tables) + read).map { TableName($0) }).map(\.name)
        let found = try connection.names(names)
        catalog = try Catalog(of: names, found, in: connection)
        let named = found.filter { [.table, .partitioned].contains($0.kind) }.map(\.oid)
        try add(connection.foreignKeys("c.conrelid", named))
        var (waiting, seen) = (named, Set<UInt32>())
        while !waiting.isEmpty {
            let tables = try waiting + add(connection.relations(waiting), in: connection)
            seen.formUnion(tables)
            let keys = try connection.foreignKeys(to: tables)
            add(keys)
            waiting = Set(keys.filter(\.acts).map(\.child)).subtracting(seen).sorted()
        }
    }

    /// Throws a ``SchemaMismatch`` if there is none.
    func relation(_ name: TableName) throws(SchemaMismatch) -> Relation {
        guard let relation = relations[name] else { throw SchemaMismatch.gone(name.description) }
        return relation
    }

    func relationIfAny(_ name: TableName) -> Relation? { relations[name] }

    /// The constraints that are these foreign keys.
    func constraints(_ keys: [ForeignKey]) -> [ForeignKeyConstraint] {
        keys.compactMap { key in
            guard key.isDeclared, let child = relations[key.child], let parent = relations[key.parent] else {
                return self.keys[key]
            }
            return ForeignKeyConstraint(
                key: key, child: child.oid, parent: parent.oid, onUpdate: .none, isOfPeriods: false)
        }
    }

    private mutating func add(_ keys: [ForeignKeyConstraint]) {
        for key in keys where self.keys.updateValue(key, forKey: key.key) == nil {
            catalog.foreignKeys.append(key.key)
        }
    }

    /// Returns the tables' parts.
    private mutating func add(_ tables: [Relation], in connection: Connection) throws -> [UInt32] {
        let unique = try connection.uniqueIndexes(of: tables)
        let parts = try connection.parts(of: tables)
        let ancestors = try connection.ancestors(of: tables)
        for relation in tables {
            relations[relation.tableName] = relation
            var table = Table(relation.tableName)
            table.columns = relation.columns.map(Table.Column.init)
            table.primaryKey = relation.primaryKey
            table.hasKey = !relation.primaryKey.isEmpty
            table.uniqueIndexes = unique[relation.oid]?.indexes ?? []
            table.uniqueColumns = unique[relation.oid]?.columns ?? []
            table.parts = Set(parts.filter { $0.table == relation.oid }.map(\.name))
            (table.isPartition, table.hasHeirs) = (relation.isPartition, relation.hasChildren)
            if !relation.isPartition { table.ancestor = ancestors[relation.oid] }
            catalog.tables[relation.tableName] = table
        }
        return parts.map(\.part)
    }
}

extension Table.Column {
    fileprivate init(_ column: Relation.Column) {
        let isInteger = ["smallint", "integer", "bigint"].contains(column.baseType)
        self.init(
            column.name, isGenerated: column.isGenerated, isNullable: !column.isNotNull,
            needsValue: column.isNotNull && !column.hasDefault && !column.isGenerated && !column.isIdentity,
            comparison: isInteger ? "integer" : column.baseType)
    }
}

extension Connection {
    /// The tables of the database, without partitions.
    func tableNames() throws -> [TableName] {
        try query(
            """
            SELECT n.nspname, c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace \
            WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND n.nspname NOT LIKE '\\_timescaledb\\_%' \
            AND n.nspname <> 'information_schema' AND n.nspname NOT LIKE 'pg\\_%' ORDER BY 1, 2
            """
        ).rows.map { TableName($0[1] ?? "", inSchema: $0[0]) }
    }

    /// The tables from which tables inherit.
    fileprivate func ancestors(of tables: [Relation]) throws -> [UInt32: TableName] {
        let rows = try query(
            """
            SELECT i.inhrelid, n.nspname, c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhparent \
            JOIN pg_namespace n ON n.oid = c.relnamespace WHERE i.inhrelid = ANY ($1::oid[])
            """, [.arrayLiteral(tables.map { "\($0.oid)" })]
        ).rows
        return rows.reduce(into: [:]) { found, row in
            found[UInt32(row[0] ?? "") ?? 0] = TableName(row[2] ?? "", inSchema: row[1])
        }
    }

    /// The partitions and heirs of those of the tables that have some, at any level.
    fileprivate func parts(of tables: [Relation]) throws -> [(table: UInt32, part: UInt32, name: TableName)] {
        let divided = tables.filter { $0.kind == .partitioned || $0.hasChildren }.map { "\($0.oid)" }
        guard !divided.isEmpty else { return [] }
        return try query(
            """
            WITH RECURSIVE part (root, oid) AS (SELECT i.inhparent, i.inhrelid FROM pg_inherits i \
            WHERE i.inhparent = ANY ($1::oid[]) UNION SELECT p.root, i.inhrelid FROM part p \
            JOIN pg_inherits i ON i.inhparent = p.oid) \
            SELECT p.root, p.oid, n.nspname, c.relname FROM part p JOIN pg_class c ON c.oid = p.oid \
            JOIN pg_namespace n ON n.oid = c.relnamespace
            """, [.arrayLiteral(divided)]
        ).rows.map { row in
            (
                UInt32(row[0] ?? "") ?? 0, UInt32(row[1] ?? "") ?? 0,
                TableName(row[3] ?? "", inSchema: row[2])
            )
        }
    }

    /// The unique indexes of tables, but those on expressions, and the columns of all that allow no second row.
    fileprivate func uniqueIndexes(
        of tables: [Relation]
    ) throws -> [UInt32: (indexes: [Table.UniqueIndex], columns: Set<String>)] {
        let rows = try query(
            """
            SELECT i.indrelid, i.indisunique, i.indisvalid AND i.indpred IS NULL AND i.indimmediate, \
            array_to_json(array_agg(coalesce(a.attname, '') ORDER BY k.place)), \
            array_to_json(array_agg(CASE WHEN l.collisdeterministic THEN '' ELSE coalesce(l.collname, '') END ORDER BY k.place)) \
            FROM pg_index i CROSS JOIN unnest(i.indkey::int2[]) WITH ORDINALITY AS k (number, place) \
            LEFT JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.number \
            LEFT JOIN pg_collation l ON l.oid = i.indcollation[k.place::int - 1] \
            WHERE i.indrelid = ANY ($1::oid[]) AND (i.indisunique OR i.indisexclusion) AND k.place <= i.indnkeyatts \
            GROUP BY i.indexrelid, i.indrelid, i.indisunique, 3 ORDER BY i.indexrelid
            """, [.arrayLiteral(tables.map { "\($0.oid)" })])
        var found: [UInt32: (indexes: [Table.UniqueIndex], columns: Set<String>)] = [:]
        for row in rows.rows {
            let (columns, collations) = (JSONNames.parse(row[3] ?? "[]"), JSONNames.parse(row[4] ?? "[]"))
            let table = UInt32(row[0] ?? "") ?? 0
            found[table, default: ([], [])].columns.formUnion(columns.filter { !$0.isEmpty })
            guard row[1] == "t", !columns.contains("") else { continue }
            let parts = zip(columns, collations).map {
                Table.UniqueIndex.Part($0, collation: $1.isEmpty ? nil : $1)
            }
            found[table]?.indexes.append(Table.UniqueIndex(parts, isWhole: row[2] == "t"))
        }
        return found
    }
}
