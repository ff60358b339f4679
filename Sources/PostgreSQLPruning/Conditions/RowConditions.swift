import Conditions
import Retention
import RuleEngine

extension RowConditions {
    /// Binds the conditions of `rule`, whose table is `relation`, in a transaction that was begun with
    /// ``TransactionKind/begin``.
    init(of rule: RetentionRule, on relation: Relation, in connection: Connection) throws {
        try self.init(
            of: rule, on: TypedTable(relation, in: connection), as: relation.name,
            in: PostgreSQLConditionTables(connection: connection, schema: relation.schema),
            PostgreSQLConditions())
    }

    /// Throws a ``SchemaMismatch`` if one of them reads a table that cannot be read, or all of it again and again. Returns the
    /// tables that they read besides the rule's own.
    func checkReading(
        beside relation: Relation, _ catalog: RuleCatalog, in connection: Connection
    ) throws -> [Relation] {
        var found: [Relation] = []
        for condition in all {
            let read = try catalog.catalog.read(by: condition).map { try catalog.relation($0.name) }
            for table in read { try condition.checkIsOrdinary(table, in: connection) }
            try ScanCheck(condition: condition, relation: relation, tables: read).check(in: connection)
            found += read.filter { !found.contains($0) }
        }
        return found
    }
}

extension RowCondition {
    fileprivate func checkIsOrdinary(_ table: Relation, in connection: Connection) throws {
        guard !table.hasRowSecurity else {
            throw refusal(
                "reads \(table.description), which has policies for rows: it would see only some of them",
                hint: "read a table without row-level security")
        }
        guard try connection.hasPrivilege("SELECT", on: table) else {
            throw refusal(
                "reads \(table.description), which the role may not read",
                hint: try connection.grant("SELECT", on: table))
        }
    }
}
