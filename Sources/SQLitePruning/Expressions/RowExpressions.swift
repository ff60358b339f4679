import Retention
import SQLite

/// The expressions of a rule about one row, checked.
struct RowExpressions: Equatable {
    /// Only rows of which it is true expire.
    let condition: RowExpression?
    /// Only rows of which each of them is false expire.
    let protections: [RowExpression]
    /// The tables that they read besides the rule's own, with their columns: an expression could mean something else if
    /// these changed.
    let others: [TableSchema]
    /// Which of them reads which of these tables.
    let readers: [ExpressionReader]

    /// Throws a ``SchemaMismatch`` if one of them cannot be used.
    init(of rule: RetentionRule, on table: TableSchema, in db: Database) throws {
        condition = rule.condition.map(RowExpression.init)
        protections = rule.protect.map(RowExpression.init)
        let all = (rule.condition.map { [(RuleKey.where, $0)] } ?? []) + rule.protect.map { (.protect, $0) }
        readers = try all.map { key, text in
            try ExpressionReader(ExpressionCheck(keys: [key.rawValue], text: text, table: table), in: db)
        }
        let tables = readers.reduce(into: Set()) { $0.formUnion($1.tables) }
        others = try tables.sorted().compactMap { try TableSchema($0, in: db) }
    }

    /// The names of ``others``.
    var tables: [String] { others.map(\.name) }

    /// SQL terms that are all true of a row that may expire. They need the rule's table under its own name.
    var terms: [String] { (condition.map { [$0.isTrue] } ?? []) + protections.map(\.isFalse) }
}
