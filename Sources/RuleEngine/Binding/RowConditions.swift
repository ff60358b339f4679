import Conditions
import Retention

/// The conditions of a rule about one row, in the terms of its store.
package struct RowConditions: Equatable, Sendable {
    /// Only rows of which it is true expire.
    package let wanted: RowCondition?
    /// Only rows of which each of them is false expire. The last one is that of `orphans_of`, if the rule has it.
    package let protections: [RowCondition]
    /// Only deleted rows of which it is true leave a tombstone.
    package let tombstone: RowCondition?

    /// Throws a ``SchemaMismatch`` if one of them is no condition on rows of `table`, which statements call `row`. `check`
    /// throws a ``ConditionError`` for one that the store cannot judge.
    package init<Dialect: ConditionDialect, Tables: ConditionTables>(
        of rule: RetentionRule, on table: TypedTable, as row: String, in tables: Tables, _ dialect: Dialect,
        check: (BoundCondition) throws -> Void = { _ in }
    ) throws {
        func bound(_ text: String, _ keys: [String]) throws -> RowCondition {
            do {
                let condition = try ConditionBinding.bind(
                    WrittenCondition(parsing: text), on: table, as: row, in: tables)
                try check(condition)
                return RowCondition(condition, text, keys: keys, in: dialect)
            } catch let error as ConditionError {
                throw SchemaMismatch(
                    "\(keys.joined(separator: ".")) = \"\(text)\" \(error.cause(in: text))",
                    hint: error.hint ?? "conditions are described in pruned.toml(5)", keys: keys)
            }
        }
        wanted = try rule.condition.map { try bound($0, [RuleKey.where.rawValue]) }
        let owner = try rule.orphansOf.map {
            try bound($0.hasOwner(in: table.name), [RuleKey.orphansOf.rawValue])
        }
        protections =
            try rule.protect.map { try bound($0, [RuleKey.protect.rawValue]) } + (owner.map { [$0] } ?? [])
        tombstone = try rule.tombstone?.condition.map { try bound($0, BoundTombstone.keys(.where)) }
    }

    private init(wanted: RowCondition?, protections: [RowCondition], tombstone: RowCondition?) {
        (self.wanted, self.protections, self.tombstone) = (wanted, protections, tombstone)
    }

    /// The same conditions on other rows of the tables that they read: `sql` is what stands in FROM instead of one.
    package func reading<Dialect: ConditionDialect>(
        _ sql: (TypedTable) -> String, in dialect: Dialect
    ) -> RowConditions {
        let other = { (condition: RowCondition) in condition.reading(sql, in: dialect) }
        return RowConditions(
            wanted: wanted.map(other), protections: protections.map(other), tombstone: tombstone.map(other))
    }

    package var all: [RowCondition] {
        [wanted].compactMap(\.self) + protections + [tombstone].compactMap(\.self)
    }

    /// The names of the tables that they read besides the rule's own.
    package var tables: [String] {
        Set(all.flatMap(\.tables).map { TableName($0.name) }).map(\.name).sorted()
    }

    /// SQL terms that are all true of a row that may expire. They need the rule's table under its own name.
    package var terms: [String] { (wanted.map { [$0.isTrue] } ?? []) + protections.map(\.isFalse) }
}

extension RowCondition {
    /// What is said of a condition that would read all of a larger table for each batch, or even for each row.
    package func scans(_ table: String, hint: String) -> SchemaMismatch {
        refusal("reads all of \(table) again and again, which has more than 10,000 rows", hint: hint)
    }
}
