import Pruning
import RuleEngine

/// Tells whether what a rule was bound to is still in the catalog, inside of the transaction that changes rows.
///
/// The transaction has locks on the definitions of its tables by then, so that no change of them can come before its end.
struct SchemaWatch {
    private let questions: [String]
    private let state: [[[String?]]]

    init(_ bound: BoundRule, in connection: Connection) throws {
        let tables = bound.changedTables
        let definitions = tables.flatMap { table in
            let (database, name) = (table.database.quotedLiteral, table.name.quotedLiteral)
            return [
                """
                SELECT TRIGGER_NAME, EVENT_MANIPULATION, ACTION_TIMING, DEFINER, ACTION_STATEMENT \
                FROM information_schema.TRIGGERS WHERE EVENT_OBJECT_SCHEMA = \(database) AND EVENT_OBJECT_TABLE = \(name)
                """,
                """
                SELECT COLUMN_NAME, COLUMN_TYPE, COLLATION_NAME FROM information_schema.COLUMNS \
                WHERE TABLE_SCHEMA = \(database) AND TABLE_NAME = \(name)
                """,
            ]
        }
        // A new child would lose rows that nobody counted.
        let names = tables.map { connection.innodbName(of: $0.tableName) }.joined(separator: ", ")
        let keys = """
            SELECT ID, FOR_NAME, TYPE FROM information_schema.INNODB_SYS_FOREIGN \
            WHERE CAST(REF_NAME AS BINARY) IN (\(names)) ORDER BY ID
            """
        questions = definitions + [keys]
        state = try Self.state(questions, in: connection)
    }

    private static func state(_ questions: [String], in connection: Connection) throws -> [[[String?]]] {
        try questions.map { try connection.query($0).rows }
    }

    /// Throws a ``SchemaMismatch`` if something else is there by now.
    func check(in connection: Connection) throws {
        guard try Self.state(questions, in: connection) == state else {
            throw SchemaMismatch(
                "the tables, their triggers or their foreign keys were changed while rows were being deleted",
                hint: StoreHint.changingTables)
        }
    }
}
