import Conditions
import Retention
import RuleEngine

/// The ordinary tables of a server, with what conditions can compare their columns with.
struct MariaDBConditionTables: ConditionTables {
    let connection: Connection

    func compared(_ name: SQLName) -> String { name.text }
    func compared(catalog name: String) -> String { name }

    func table(_ name: WrittenNames.Table) throws -> TypedTable {
        let schema = name.schema.map(\.text).flatMap { $0 == connection.address.database ? nil : $0 }
        let table = TableName(name.name.text, in: schema)
        guard let relation = try connection.relation(table) else {
            try connection.checkSight(of: table.description, needing: "SELECT")
            throw ConditionError(
                "reads \(table), and there is no such table", hint: "check its name: capitals matter",
                at: name.name.offset)
        }
        return TypedTable(relation)
    }
}

extension TypedTable {
    init(_ relation: Relation) {
        self.init(
            relation.description, in: relation.tableName.schema, alias: relation.name, sql: relation.sql,
            columns: relation.columns.map {
                // Times may be computed by the time zone of who reads them.
                $0.isVirtual && ["timestamp", "datetime", "date"].contains($0.baseType)
                    ? TypedColumn($0.name, .other, declared: $0.type)
                    : TypedColumn(
                        $0.name, dataType: $0.baseType, columnType: $0.type, collation: $0.collation,
                        isJSON: $0.isJSON)
            })
    }
}

extension RowConditions {
    init(of rule: RetentionRule, on relation: Relation, in connection: Connection) throws {
        try self.init(
            of: rule, on: TypedTable(relation), as: relation.name,
            in: MariaDBConditionTables(connection: connection), MariaDBConditions())
    }
}
