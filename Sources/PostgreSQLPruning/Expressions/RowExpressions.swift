import Retention

/// The expressions of a rule about one row, checked.
struct RowExpressions: Equatable {
    /// Only rows of which it is true expire.
    let condition: RowExpression?
    /// Only rows of which each of them is false expire.
    let protections: [RowExpression]
    /// Only deleted rows of which it is true leave a tombstone.
    let tombstone: RowExpression?
    /// The tables that the expressions name without a schema.
    let common: [Relation]

    /// The head of each statement that contains one of the expressions: empty, or `WITH ... ` with a blank at its end.
    ///
    /// Names are found in `pg_catalog` alone, so other tables are given their bare names here. PostgreSQL puts such a
    /// query in the place of its name, so that indexes of the table are used.
    var with: String { Self.with(common) }

    /// The queries of ``with``, for a head that has others as well.
    var queries: [String] { Self.queries(of: common) }

    static func with(_ tables: [Relation]) -> String {
        tables.isEmpty ? "" : "WITH " + queries(of: tables).joined(separator: ", ") + " "
    }

    private static func queries(of tables: [Relation]) -> [String] {
        tables.map { "\($0.alias) AS NOT MATERIALIZED (SELECT * FROM \($0.sql))" }
    }

    /// SQL terms that are all true of a row that may expire. They need the rule's table under its bare name.
    var terms: [String] { (condition.map { [$0.isTrue] } ?? []) + protections.map(\.isFalse) }

    /// The tables that they read besides the rule's own.
    var tables: [Relation] {
        let all = [condition, tombstone].compactMap(\.self) + protections
        return all.flatMap(\.tables).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    /// Checks the expressions of `rule`, whose table is `relation`, in a transaction that was begun with
    /// ``TransactionKind/begin``. `rules` are all rules of the store. Throws a ``SchemaMismatch`` if one cannot be used.
    init(
        of rule: RetentionRule, on relation: Relation, beside rules: [RetentionRule],
        in connection: Connection
    ) throws {
        let writes = try TableWrite.all(by: rule, and: rules, in: connection)
        var common: [Relation] = []
        func checked(_ keys: [RuleKey], _ text: String) throws -> RowExpression {
            let check = ExpressionCheck(keys: keys.map(\.rawValue), text: text, relation: relation)
            let checked = try check.result(writes, in: connection)
            for table in checked.common where !common.contains(table) { common.append(table) }
            return checked.expression
        }
        condition = try rule.condition.map { try checked([.where], $0) }
        protections = try rule.protect.map { try checked([.protect], $0) }
        tombstone = try rule.tombstone?.condition.map { try checked([.tombstone, .where], $0) }
        self.common = common
    }
}
