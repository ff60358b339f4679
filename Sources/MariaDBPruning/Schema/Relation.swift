import Pruning
import Retention
import RuleEngine

/// A table, as the catalog describes it.
struct Relation: Equatable {
    let tableName: TableName
    let database: String
    let name: String
    /// `InnoDB`, or another engine.
    let engine: String
    let isSystemVersioned: Bool
    let columns: [Column]
    let indexes: [Index]
    /// The server's estimate.
    let estimatedRows: Int64

    struct Column: Equatable {
        let name: String
        /// The type without its length, such as `bigint`.
        let baseType: String
        /// The type as the server writes it, such as `bigint(20) unsigned`.
        let type: String
        /// Nil for a type without texts.
        let collation: String?
        let characterSet: String?
        let isNotNull: Bool
        let hasDefault: Bool
        let isGenerated: Bool
        /// Whether the server gives it the current time when the row is changed.
        let followsUpdates: Bool
        /// Whether it is computed when it is read, perhaps by the settings of the session.
        let isVirtual: Bool
        /// Whether it is a text of which a CHECK of its own says that it is JSON.
        let isJSON: Bool

        var isInteger: Bool { ["tinyint", "smallint", "mediumint", "int", "bigint"].contains(baseType) }
        var isUnsigned: Bool { type.contains("unsigned") }
    }

    struct Index: Equatable {
        let name: String
        let columns: [String]
        let isUnique: Bool
        /// Whether it has the whole of each value, in ascending order.
        let isWhole: Bool
    }

    /// The table as SQL: database and name.
    var sql: String { database.quotedIdentifier + "." + name.quotedIdentifier }
    /// The table as people and rules write it.
    var description: String { tableName.description }
    /// The name under which conditions see its rows.
    var alias: String { name.quotedIdentifier }

    /// The column of this table as SQL.
    func column(_ name: String) -> String { alias + "." + name.quotedIdentifier }

    subscript(column: String) -> Column? { columns.first { $0.name == column } }

    /// The column that was bound.
    func required(_ column: Table.Column) throws(SchemaMismatch) -> Column {
        guard let found = self[column.name] else {
            throw SchemaMismatch.gone("\(description).\(column.name)")
        }
        return found
    }

    var primaryKey: [String] { indexes.first { $0.name == "PRIMARY" }?.columns ?? [] }

    /// The index in whose order rows are stored: the primary key, or else the first unique one without NULL.
    var key: Index? {
        indexes.first { $0.name == "PRIMARY" }
            ?? indexes.first { index in
                index.isUnique && index.isWhole && index.columns.allSatisfy { self[$0]?.isNotNull ?? false }
            }
    }

    /// SQL of what keeps the server from changing further columns when these are set.
    func unchanged(besides names: [String]) -> [String] {
        followers(besides: names).map { "\($0.name.quotedIdentifier) = \(column($0.name))" }
    }

    /// The further columns that the server changes when these are set.
    func followers(besides names: [String]) -> [Column] {
        columns.filter { $0.followsUpdates && !names.contains($0.name) }
    }

    /// An index that is led by these columns, in any order.
    func index(ledBy columns: [String]) -> Index? {
        indexes.first { $0.isWhole && Set($0.columns.prefix(columns.count)) == Set(columns) }
    }

    /// An index that begins with these columns in this order.
    func index(orderedBy columns: [String]) -> Index? {
        indexes.first { $0.isWhole && Array($0.columns.prefix(columns.count)) == columns }
    }
}

extension Connection {
    func names(of text: String) -> [TableName] { address.names(of: text) }

    /// Nil if there is no such table.
    func relation(_ table: TableName) throws -> Relation? {
        let database = table.schema ?? address.database
        let place = "TABLE_SCHEMA = \(database.quotedLiteral) AND TABLE_NAME = \(table.name.quotedLiteral)"
        let found = try query(
            "SELECT ENGINE, TABLE_TYPE, TABLE_ROWS, TABLE_NAME FROM information_schema.TABLES WHERE \(place)")
        guard found.text(0, 3) == table.name, let type = found.text(0, 1) else { return nil }
        let isVersioned = type == "SYSTEM VERSIONED"
        guard type == "BASE TABLE" || isVersioned else { return nil }
        return Relation(
            tableName: table, database: database, name: table.name, engine: found.text(0, 0) ?? "",
            isSystemVersioned: isVersioned, columns: try columns(place), indexes: try indexes(place),
            estimatedRows: found.integer(0, 2) ?? 0)
    }

    private func columns(_ place: String) throws -> [Relation.Column] {
        let isJSON = try query(
            """
            SELECT CONSTRAINT_NAME, CHECK_CLAUSE FROM information_schema.CHECK_CONSTRAINTS WHERE \
            \(place.replacing("TABLE_SCHEMA", with: "CONSTRAINT_SCHEMA")) AND LEVEL = 'Column'
            """
        ).rows.filter { $0[1] == "json_valid(`\($0[0] ?? "")`)" }.compactMap { $0[0] }
        return try query(
            """
            SELECT COLUMN_NAME, DATA_TYPE, COLUMN_TYPE, COLLATION_NAME, IS_NULLABLE, COLUMN_DEFAULT, EXTRA, IS_GENERATED, \
            CHARACTER_SET_NAME \
            FROM information_schema.COLUMNS WHERE \(place) ORDER BY ORDINAL_POSITION
            """
        ).rows.map { row in
            Relation.Column(
                name: row[0] ?? "", baseType: row[1] ?? "", type: row[2] ?? "", collation: row[3],
                characterSet: row[8],
                isNotNull: row[4] == "NO",
                hasDefault: row[5] != nil || row[6]?.contains("auto_increment") ?? false,
                isGenerated: row[7] == "ALWAYS",
                followsUpdates: row[6]?.lowercased().contains("on update") ?? false,
                isVirtual: row[6]?.contains("VIRTUAL") ?? false, isJSON: isJSON.contains(row[0] ?? ""))
        }
    }

    private func indexes(_ place: String) throws -> [Relation.Index] {
        let rows = try query(
            """
            SELECT INDEX_NAME, COLUMN_NAME, NON_UNIQUE, SUB_PART IS NULL AND COLLATION = 'A' AND INDEX_TYPE = 'BTREE' \
            AND IGNORED = 'NO' FROM information_schema.STATISTICS WHERE \(place) ORDER BY INDEX_NAME <> 'PRIMARY', INDEX_NAME, SEQ_IN_INDEX
            """
        ).rows
        let names = rows.compactMap { $0[0] }.reduce(into: [String]()) { if $0.last != $1 { $0.append($1) } }
        return names.map { name in
            let parts = rows.filter { $0[0] == name }
            return Relation.Index(
                name: name, columns: parts.compactMap { $0[1] }, isUnique: parts.first?[2] == "0",
                isWhole: parts.allSatisfy { $0[3] == "1" })
        }
    }
}
