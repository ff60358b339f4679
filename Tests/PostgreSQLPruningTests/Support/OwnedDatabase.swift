import Pruning
import RealPrograms
import Retention
import TestSupport
import Testing

@testable import PostgreSQLPruning

/// A database of a test's own whose tables belong to an app, and a role without rights of its own that prunes it.
final class OwnedDatabase: Sendable {
    let database: PostgreSQLDatabase
    let owner: String
    let role: String

    /// Runs `sql` as the owner, after `setup` as the superuser. The role may read and change all tables.
    init(_ sql: String, setup: String = "") throws {
        let server = try PostgreSQLServer.shared
        (owner, role) = (try server.createRole(), try server.createRole())
        database = try server.createDatabase(
            "ALTER SCHEMA public OWNER TO \(owner); ALTER DEFAULT PRIVILEGES FOR ROLE \(owner) GRANT ALL ON TABLES TO \(role);"
                + "ALTER DEFAULT PRIVILEGES FOR ROLE \(owner) GRANT ALL ON SEQUENCES TO \(role);" + setup,
            owner: owner)
        try psql(sql)
    }

    /// As the owner.
    @discardableResult
    func psql(_ sql: String) throws -> String { try database.psql(sql, user: owner) }

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

    /// What the check of a rule's expressions says; nil if it accepts them.
    func refusal(of rule: RetentionRule, beside rules: [RetentionRule] = []) throws -> SchemaMismatch? {
        try transaction { connection in
            do {
                _ = try RowExpressions(
                    of: rule, on: connection.relation(named: rule.table), beside: [rule] + rules,
                    in: connection)
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
