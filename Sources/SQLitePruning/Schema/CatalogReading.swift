import Conditions
import Retention
import RuleEngine
import SQLite

extension Catalog {
    /// What `rules` name in the schema, and the tables `read` of their conditions.
    init(of rules: [RetentionRule], reading read: [String] = [], in db: Database) throws {
        self.init(.sqlite)
        for row in try db.rows("SELECT name, type FROM pragma_table_list WHERE schema = 'main'") {
            let name = row[0].string
            kinds[TableName(name)] =
                name.hasPrefix("sqlite_")
                ? .other : TableSchema.Kind(rawValue: row[1].string)?.inCatalog ?? .other
        }
        let named = Set(rules.flatMap(\.tables).map(\.comparedName)).union(read.map(\.comparedName))
        for (name, kind) in kinds where kind == .table && named.contains(name.name.comparedName) {
            if let schema = try TableSchema(name.name, in: db) {
                tables[name] = try schema.inCatalog(db)
            } else {
                kinds[name] = .withoutPlace
            }
        }
        // A foreign key may name the columns of its parent in another spelling.
        foreignKeys = try ForeignKey.all(in: db).map { key in
            guard let parent = tables[key.parent] else { return key }
            let columns = key.parentColumns.map { name in
                parent.columns.first { $0.name.comparedName == name.comparedName }?.name ?? name
            }
            return ForeignKey(
                of: key.child, key.childColumns, to: key.parent, columns, onDelete: key.onDelete)
        }
    }
}

extension TableSchema.Kind {
    fileprivate var inCatalog: Catalog.Kind {
        switch self {
        case .table: .table
        case .view: .view
        case .virtual, .shadow: .virtual
        }
    }
}

extension TableSchema {
    fileprivate func inCatalog(_ db: Database) throws -> Table {
        var table = Table(TableName(name))
        let rowID = isWithoutRowID || primaryKey.count != 1 ? nil : primaryKey[0]
        table.columns = columns.map { column in
            Table.Column(
                column.name, isGenerated: column.isGenerated, isNullable: !column.isNotNull,
                needsValue: column.isNotNull && column.defaultValue == nil && !column.isGenerated
                    && column.name != rowID,
                comparison: "\(column.comparedType) \(column.collation.foldedName)")
        }
        table.primaryKey = primaryKey
        table.hasKey = !primaryKey.isEmpty && !mayLackKey
        table.locator = key
        let indexes = try db.rows(
            "SELECT name, partial FROM pragma_index_list(:table) WHERE \"unique\"", ["table": .text(name)])
        for index in indexes {
            let parts = try db.rows(
                "SELECT name, coll FROM pragma_index_xinfo(:index) WHERE key", ["index": index[0]])
            table.uniqueColumns.formUnion(parts.filter { $0[0] != .null }.map(\.[0].string))
            guard parts.allSatisfy({ $0[0] != .null }) else { continue }
            table.uniqueIndexes.append(
                Table.UniqueIndex(
                    parts.map { part in
                        let collation = part[1].string.foldedName
                        return .init(part[0].string, collation: collation == "binary" ? nil : collation)
                    }, isWhole: index[1].integer == 0))
        }
        // A primary key that is the rowid has no index.
        if let rowID, !table.uniqueIndexes.contains(where: { $0.columns == [rowID] }) {
            table.uniqueIndexes.append(Table.UniqueIndex([.init(rowID)], isWhole: true))
        }
        return table
    }
}

extension TableSchema.Column {
    /// The same for two columns whose values are converted to the same type.
    fileprivate var comparedType: String {
        type.uppercased().contains("INT") ? "INTEGER" : type.uppercased()
    }
}
