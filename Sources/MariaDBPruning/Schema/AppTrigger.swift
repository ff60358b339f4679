import RuleEngine

/// A trigger of the app's that fires when a rule changes rows.
struct AppTrigger: Equatable {
    let name: String
    let relation: TableName
    /// The table, as rules write it.
    var table: String { relation.description }
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
                name: row[0] ?? "", relation: relation.tableName, timing: row[1] ?? "", event: row[2] ?? "",
                statement: row[3])
        }
    }

    /// Why a trigger cannot be judged.
    func unreadable(_ trigger: AppTrigger) throws(ServerError) -> SchemaMismatch {
        SchemaMismatch(
            "the user may not read trigger \(trigger.name) on \(trigger.table), which would run",
            hint: try grant("TRIGGER", on: trigger.relation))
    }
}
