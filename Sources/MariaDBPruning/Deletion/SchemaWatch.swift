import Pruning
import RuleEngine

/// Tells whether what a rule was bound to is still in the catalog, inside of the transaction that changes rows.
///
/// The transaction has locks on the definitions of its tables by then, so that no change of them can come before its end.
struct SchemaWatch {
    private let definitions: [String]
    /// What tells which foreign keys refer to the tables.
    private let keys: [String]
    private let tables: [Relation]
    private let state: [[[String?]]]

    /// Looks at the tables of a rule, inside of a transaction. Until that ends, nobody can change their definitions: the catalog
    /// would leave out what is being changed, such as a new trigger.
    init(_ bound: BoundRule, in connection: Connection) throws {
        tables = bound.changedTables
        try Self.lock(tables, in: connection)
        definitions = tables.flatMap { table in
            let (database, name) = (table.database.quotedLiteral, table.name.quotedLiteral)
            return [
                """
                SELECT TRIGGER_NAME, EVENT_MANIPULATION, ACTION_TIMING, DEFINER, ACTION_STATEMENT \
                FROM information_schema.TRIGGERS WHERE EVENT_OBJECT_SCHEMA = \(database) AND EVENT_OBJECT_TABLE = \(name)\(Self.limit)
                """,
                "SHOW CREATE TABLE \(table.sql)",
            ]
        }
        // A new child would lose rows that nobody counted.
        let names = tables.map { connection.innodbName(of: $0.tableName) }.joined(separator: ", ")
        let references = """
            SELECT ID, FOR_NAME, TYPE FROM information_schema.INNODB_SYS_FOREIGN \
            WHERE CAST(REF_NAME AS BINARY) IN (\(names)) ORDER BY ID
            """
        // A limit of the session, which a trigger may set, means nothing beside one of the statement.
        keys = [references + Self.limit]
        state = try Self.state(definitions + keys, in: connection)
    }

    private static let limit = " LIMIT 100000"

    private static func state(_ questions: [String], in connection: Connection) throws -> [[[String?]]] {
        // The next number for a row is no part of a definition.
        try questions.map { question in
            try connection.query(question).rows.map { row in
                row.map { $0?.replacing(/AUTO_INCREMENT=[0-9]+/, with: "") }
            }
        }
    }

    /// Throws a ``SchemaMismatch`` if something else is there by now. From then on no definition can change until the transaction
    /// ends: what an engine without transactions deletes could not be taken back.
    func begin(in connection: Connection) throws {
        try Self.lock(tables, in: connection)
        try check(definitions + keys, state, in: connection)
    }

    private static func lock(_ tables: [Relation], in connection: Connection) throws {
        for table in tables { try connection.query("SELECT 1 FROM \(table.sql) LIMIT 0") }
    }

    /// Whether the tables are those of the rule. How many rows they have may be told otherwise by now.
    func isOn(_ bound: BoundRule) -> Bool { tables.map(\.tableName) == bound.changedTables.map(\.tableName) }

    /// The same of the foreign keys of other tables, before the commit.
    func checkKeys(in connection: Connection) throws {
        try check(keys, state.suffix(keys.count), in: connection)
    }

    private func check(
        _ questions: [String], _ known: some Collection<[[String?]]>, in connection: Connection
    ) throws {
        guard try Self.state(questions, in: connection) == Array(known) else { throw mismatch }
    }

    /// Something else is there by now.
    var mismatch: SchemaMismatch {
        SchemaMismatch(
            "the tables, their triggers or their foreign keys were changed while rows were being deleted",
            hint: StoreHint.changingTables)
    }
}
