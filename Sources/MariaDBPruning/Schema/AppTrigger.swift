import Pruning
import Retention
import RuleEngine

/// A trigger of the app's that fires when a rule changes rows.
struct AppTrigger: Equatable {
    let name: String
    /// The table, as rules write it.
    let table: String
    let timing: String
    let event: String
    /// Nil if the user may not see it.
    let statement: String?

    /// Whether it may raise an error.
    var mayRefuse: Bool { statement.map { $0.uppercased().contains("SIGNAL") } ?? true }
}

extension Connection {
    func triggers(on relation: Relation) throws -> [AppTrigger] {
        try query(
            """
            SELECT TRIGGER_NAME, ACTION_TIMING, EVENT_MANIPULATION, ACTION_STATEMENT FROM information_schema.TRIGGERS \
            WHERE EVENT_OBJECT_SCHEMA = \(relation.database.quotedLiteral) \
            AND EVENT_OBJECT_TABLE = \(relation.name.quotedLiteral) ORDER BY TRIGGER_NAME
            """
        ).rows.map { row in
            AppTrigger(
                name: row[0] ?? "", table: relation.description, timing: row[1] ?? "", event: row[2] ?? "",
                statement: row[3])
        }
    }

    /// The triggers that fire when the rule changes its rows and those that go with them. Throws a ``SchemaMismatch`` if one of
    /// them is not `allowed`, or cannot be read.
    func triggers(of bound: BoundRule, allowing allowed: Set<String>) throws -> [AppTrigger] {
        let event = bound.mark == nil ? "DELETE" : "UPDATE"
        let firing = try bound.changedTables.flatMap { table in
            try triggers(on: table).filter { $0.event == (table == bound.relation ? event : "DELETE") }
        }
        for trigger in firing {
            guard trigger.statement != nil else {
                throw SchemaMismatch(
                    "the user may not read trigger \(trigger.name) on \(trigger.table), which would run",
                    hint: "GRANT TRIGGER ON \(trigger.table) TO the user of the url")
            }
            guard allowed.contains(trigger.name) else {
                throw SchemaMismatch(
                    "trigger \(trigger.name) on \(trigger.table) would run, which no gate of the store knows",
                    hint: "a preset, or [[store.NAME.schema]] with triggers = [\(trigger.name.inQuotes)], can know it")
            }
        }
        return firing
    }

    /// Throws a ``SchemaMismatch`` with the GRANT that the user lacks. A transaction that only reads refuses what the user may
    /// do, and the server what they may not.
    func checkRights(of bound: BoundRule) throws {
        let verb = bound.mark.map { "UPDATE \(bound.relation.sql) SET \($0.assignments)" }
            ?? "DELETE FROM \(bound.relation.sql)"
        let statements =
            [(bound.mark == nil ? "DELETE" : "UPDATE", bound.relation, verb)]
            + bound.paths.compactMap(\.last?.child).map { ("DELETE", $0, "DELETE FROM \($0.sql)") }
        for (right, table, statement) in statements {
            do throws(ServerError) { try query("EXPLAIN \(statement) WHERE FALSE") } catch {
                guard error.code == 1_142 || error.code == 1_143 else { continue }
                throw SchemaMismatch(
                    "the user may not change rows of \(table.description)",
                    hint: "GRANT \(right) ON \(table.database).\(table.name) TO the user of the url")
            }
        }
    }
}
