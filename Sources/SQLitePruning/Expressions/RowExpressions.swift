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
    private let readers: [Reader]

    /// An expression that reads other tables.
    private struct Reader: Equatable {
        let check: ExpressionCheck
        let tables: Set<String>
    }

    /// Throws a ``SchemaMismatch`` if one of them cannot be used.
    init(of rule: RetentionRule, on table: TableSchema, in db: Database) throws {
        condition = rule.condition.map(RowExpression.init)
        protections = rule.protect.map(RowExpression.init)
        let all = (rule.condition.map { [(RuleKey.where, $0)] } ?? []) + rule.protect.map { (.protect, $0) }
        readers = try all.map { key, text in
            let check = ExpressionCheck(keys: [key.rawValue], text: text, table: table)
            return Reader(check: check, tables: try check.tablesRead(in: db))
        }
        let tables = readers.reduce(into: Set()) { $0.formUnion($1.tables) }
        others = try tables.sorted().compactMap { try TableSchema($0, in: db) }
    }

    /// Throws a ``SchemaMismatch`` if one of them reads one of the tables of which rules delete rows. A row would stay or
    /// go by rows that another rule deletes in the same run, or between a plan and the run.
    func checkReadsNone(of pruned: Set<String>) throws {
        let pruned = Set(pruned.map(\.comparedName))
        for reader in readers {
            guard let table = reader.tables.sorted().first(where: { pruned.contains($0.comparedName) }) else {
                continue
            }
            throw reader.check.refusal(
                "reads \(table), of which a rule deletes rows",
                hint: "name its column in kept_by: that rule then runs first")
        }
    }

    /// The names of ``others``.
    var tables: [String] { others.map(\.name) }

    /// SQL terms that are all true of a row that may expire. They need the rule's table under its own name.
    var terms: [String] { (condition.map { [$0.isTrue] } ?? []) + protections.map(\.isFalse) }
}
