import Pruning
import Retention
import RuleEngine
import TestSupport
import Testing

@testable import PostgreSQLPruning

extension OwnedDatabase {
    /// Runs `body` in a transaction of the role that prunes.
    func transaction<Result>(
        _ kind: TransactionKind = .reading, _ body: (Connection) throws -> Result
    ) throws -> Result {
        let connection = try Connection(
            Address(text: database.url(user: role), place: "the database"),
            RunControl(monotonic: systemMonotonic))
        defer { connection.close() }
        return try connection.transaction(kind) { try body(connection) }
    }

    /// What the check of a rule's conditions says; nil if it accepts them.
    func refusal(of rule: RetentionRule, beside rules: [RetentionRule] = []) throws -> SchemaMismatch? {
        try transaction { connection in
            do {
                let table = try connection.relation(named: rule.table)
                let conditions = try RowConditions(of: rule, on: table, in: connection)
                let catalog = try RuleCatalog(
                    of: [rule] + rules, reading: conditions.tables, in: connection)
                try TableWrite.check(
                    conditions.all, of: rule, on: table.tableName, beside: rules, in: catalog.catalog)
                _ = try conditions.checkReading(beside: table, catalog, in: connection)
                return nil
            } catch let mismatch as SchemaMismatch {
                return mismatch
            }
        }
    }

    /// The same for one condition on `items`.
    func refusal(of condition: String) throws -> SchemaMismatch? {
        try refusal(of: Self.rule(where: condition))
    }

    static func rule(
        _ name: String = "old-items", on table: String = "items", where condition: String? = nil,
        protect: [String] = []
    ) throws -> RetentionRule {
        RetentionRule(
            name: try #require(Name(name)), store: "news", table: table,
            expiry: .age(column: "received", keep: Span(90, .day)), condition: condition, protect: protect)
    }
}
