import Retention
import RuleEngine

extension StoreSchema {
    /// These tables, named as in a rule. One that is not there is left out.
    init(of names: some Sequence<String>, in connection: Connection) throws {
        self.init()
        for name in Set(names) {
            guard
                let relation = try connection.names(of: name).compactMap({ try connection.relation($0) })
                    .first
            else {
                try connection.checkSight(of: name, needing: "SELECT")
                continue
            }
            var table = StoreSchema.Table(name)
            table.columns = relation.columns.map { StoreSchema.Column($0.name, ColumnClass($0)) }
            table.primaryKey = relation.primaryKey
            table.uniqueKeys = Set(
                relation.indexes.filter { $0.isUnique && $0.name != "PRIMARY" }.map { index in
                    let words = index.columns.map { [$0.schemaWord] }.joined(separator: [","])
                    return StoreSchema.Table.uniqueKey(["("] + words + [")"])
                })
            table.foreignKeys = Set(
                try connection.constraints("FOR_NAME", [relation.tableName]).map { key, onUpdate in
                    StoreSchema.ForeignKey(
                        key.childColumns, to: key.parent.description, key.parentColumns,
                        onDelete: key.onDelete,
                        onUpdate: onUpdate)
                })
            table.triggers = try connection.triggers(on: relation).map { trigger in
                guard trigger.statement != nil else { throw try connection.unreadable(trigger) }
                let digest = try connection.query("SELECT MD5(\((trigger.statement ?? "").quotedLiteral))")
                    .text(0, 0)
                return StoreSchema.Trigger(
                    trigger.name,
                    [trigger.timing.lowercased(), trigger.event.lowercased(), "row", "'\(digest ?? "")'"])
            }
            tables.append(table)
        }
    }
}

extension ColumnClass {
    fileprivate init(_ column: Relation.Column) {
        switch column.baseType {
        case "tinyint", "smallint", "mediumint", "int", "bigint", "decimal", "float", "double": self = .number
        case "char", "varchar", "text", "tinytext", "mediumtext", "longtext", "enum", "set": self = .text
        case "timestamp", "datetime", "date": self = .time
        case "binary", "varbinary", "blob", "tinyblob", "mediumblob", "longblob": self = .bytes
        default: self = .other(column.baseType)
        }
    }
}
