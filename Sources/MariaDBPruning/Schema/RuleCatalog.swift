import Pruning
import Retention
import RuleEngine

extension SchemaNames {
    static func mariadb(_ database: String) -> SchemaNames {
        SchemaNames(ignoresCase: false, usualSchema: database)
    }
}

/// The catalog of a rule, and the tables in it.
struct RuleCatalog {
    private(set) var catalog: Catalog
    private var relations: [TableName: Relation] = [:]

    /// What `rules` name, and the tables `read` of conditions; the foreign keys that reach from a table of `rules`, and those
    /// of the tables themselves, wherever on the server the other table is.
    init(of rules: [RetentionRule], reading read: [String], in connection: Connection) throws {
        catalog = Catalog(.mariadb(connection.address.database))
        let names = Set(rules.flatMap(\.tables) + read).sorted()
        var waiting: [TableName] = []
        for name in names.flatMap(connection.names) {
            guard let relation = try connection.relation(name) else { continue }
            add(relation)
            waiting.append(name)
        }
        if !Set(names).isSubset(
            of: waiting.flatMap { [$0.name, "\($0.schema ?? connection.address.database).\($0.name)"] })
        {
            for row in try connection.query("SHOW FULL TABLES").rows {
                catalog.kinds[TableName(row[0] ?? "")] = row[1] == "VIEW" ? .view : .table
            }
        }
        add(try connection.foreignKeys("FOR_NAME", waiting))
        var seen: Set<TableName> = []
        while !waiting.isEmpty {
            seen.formUnion(waiting)
            let keys = try connection.foreignKeys("REF_NAME", waiting)
            add(keys)
            waiting = Set(keys.filter(\.acts).map(\.child)).subtracting(seen).sorted()
            for child in Set(keys.map(\.child)).sorted() where relations[child] == nil {
                if let relation = try connection.relation(child) {
                    add(relation)
                } else if waiting.contains(child) {
                    throw SchemaMismatch(
                        "\(child) refers to rows of the rule (a foreign key), and the user may not see it",
                        hint: try connection.grant("SELECT, DELETE, TRIGGER", on: child))
                }
            }
        }
    }

    private mutating func add(_ relation: Relation) {
        relations[relation.tableName] = relation
        catalog.kinds[relation.tableName] = .table
        var table = Table(relation.tableName)
        table.columns = relation.columns.map(Table.Column.init)
        table.primaryKey = relation.primaryKey
        table.hasKey = !relation.primaryKey.isEmpty
        table.uniqueIndexes = relation.indexes.filter(\.isUnique).map { index in
            Table.UniqueIndex(
                index.columns.map { Table.UniqueIndex.Part($0, collation: relation[$0]?.collation) },
                isWhole: index.isWhole)
        }
        table.uniqueColumns = Set(relation.indexes.filter(\.isUnique).flatMap(\.columns))
        catalog.tables[relation.tableName] = table
    }

    private mutating func add(_ keys: [ForeignKey]) {
        for key in keys where !catalog.foreignKeys.contains(key) { catalog.foreignKeys.append(key) }
    }

    /// Throws a ``SchemaMismatch`` if there is none.
    func relation(_ name: TableName) throws(SchemaMismatch) -> Relation {
        guard let relation = relations[name] else { throw SchemaMismatch.gone(name.description) }
        return relation
    }

    func relationIfAny(_ name: TableName) -> Relation? { relations[name] }
}

extension Table.Column {
    fileprivate init(_ column: Relation.Column) {
        self.init(
            column.name, isGenerated: column.isGenerated, isNullable: !column.isNotNull,
            needsValue: column.isNotNull && !column.hasDefault && !column.isGenerated,
            comparison: column.isInteger ? "integer" : "\(column.baseType) \(column.collation ?? "")")
    }
}

extension Connection {
    /// The foreign keys with one of these tables on a `side`, by name.
    ///
    /// `information_schema` hides a child in a database that the user may not see; InnoDB would delete its rows all the same.
    func foreignKeys(_ side: String, _ tables: [TableName]) throws -> [ForeignKey] {
        try constraints(side, tables).map(\.key)
    }

    /// The same with what becomes of rows that refer to a key that is changed.
    func constraints(
        _ side: String, _ tables: [TableName]
    ) throws -> [(key: ForeignKey, onUpdate: StoreSchema.ForeignKey.Action)] {
        guard !tables.isEmpty else { return [] }
        let names = tables.map(innodbName)
        let found = try queryInnoDB(
            """
            SELECT f.ID, \(decoded("f.FOR_NAME")), \(decoded("f.REF_NAME")), f.TYPE, c.FOR_COL_NAME, c.REF_COL_NAME \
            FROM information_schema.INNODB_SYS_FOREIGN f JOIN information_schema.INNODB_SYS_FOREIGN_COLS c ON c.ID = f.ID \
            WHERE CAST(f.\(side) AS BINARY) IN (\(names.joined(separator: ", "))) ORDER BY f.ID, c.POS
            """)
        let ids = found.rows.compactMap { $0[0] }.reduce(into: [String]()) {
            if $0.last != $1 { $0.append($1) }
        }
        return ids.compactMap { id in
            let rows = found.rows.filter { $0[0] == id }
            guard let first = rows.first else { return nil }
            let type = Int(first[5] ?? "") ?? 0
            let key = ForeignKey(
                id.split(separator: "/").last.map(String.init), of: name(first[1], first[2]),
                rows.compactMap { $0[6] }, to: name(first[3], first[4]), rows.compactMap { $0[7] },
                onDelete: type & 1 != 0 ? .cascade : type & 2 != 0 ? .setNull : .none)
            return (key, type & 4 != 0 ? .cascade : type & 8 != 0 ? .setNull : .none)
        }
    }

    /// Whether InnoDB has the table, or a partition of it.
    func isOfInnoDB(_ table: TableName) throws -> Bool {
        let (name, found) = (innodbName(of: table), "CAST(NAME AS BINARY)")
        return try queryInnoDB(
            "SELECT 1 FROM information_schema.INNODB_SYS_TABLES WHERE \(found) = \(name) OR LOCATE(CONCAT(\(name), '#P#'), \(found)) = 1 LIMIT 1"
        ).count > 0
    }

    /// Asks what InnoDB knows itself, and hides from no user who may ask.
    private func queryInnoDB(_ sql: String) throws -> QueryResult {
        do throws(ServerError) { return try query(sql) } catch {
            guard error.code == 1_227 else { throw error }
            throw SchemaMismatch(
                "the user may not see foreign keys of other databases, by which a deletion would take rows there along",
                hint: "GRANT PROCESS ON *.* TO \(try user())")
        }
    }

    private func name(_ database: String?, _ table: String?) -> TableName {
        TableName(table ?? "", in: database == address.database ? nil : database)
    }

    /// The statement that gives the user a right on a table.
    func grant(_ right: String, on table: TableName) throws(ServerError) -> String {
        address.grant(right, on: table, to: try user())
    }

    /// The user whose rights the connection has, as SQL.
    private func user() throws(ServerError) -> String {
        let name = try query("SELECT CURRENT_USER()").text(0, 0) ?? ""
        guard let at = name.lastIndex(of: "@") else { return name.inBackticks }
        return "\(String(name[..<at]).inBackticks)@\(String(name[name.index(after: at)...]).inBackticks)"
    }

    /// SQL of the name of a table as InnoDB writes it.
    func innodbName(of table: TableName) -> String {
        "CONCAT(\(encoded(table.schema ?? address.database)), '/', \(encoded(table.name)))"
    }

    private func encoded(_ name: String) -> String {
        "CONVERT(CONVERT(\(name.quotedLiteral) USING filename) USING binary)"
    }

    /// SQL of the database and the table of a name as InnoDB writes it.
    private func decoded(_ column: String) -> String {
        [1, -1].map { part in
            "CONVERT(CONVERT(CONVERT(SUBSTRING_INDEX(\(column), '/', \(part)) USING binary) USING filename) USING utf8mb4)"
        }.joined(separator: ", ")
    }
}
