import Pruning
import RuleEngine

/// Tells whether what a rule was bound to is still in the catalog, inside of the transaction that changes rows.
///
/// The transaction has locks on the definitions of its tables by then, so that no change of them can come before its end.
struct SchemaWatch {
    private let question: String
    private let state: [[String?]]

    init(_ bound: BoundRule, in connection: Connection) throws {
        let tables = [bound.relation] + bound.paths.compactMap(\.last?.child)
        let parts = tables.reduce(into: [String]()) { parts, table in
            let (database, name) = (table.database.quotedLiteral, table.name.quotedLiteral)
            let part = """
                SELECT \(name), (SELECT MD5(GROUP_CONCAT(CONCAT_WS('|', TRIGGER_NAME, EVENT_MANIPULATION, ACTION_TIMING, \
                DEFINER, ACTION_STATEMENT) ORDER BY TRIGGER_NAME)) FROM information_schema.TRIGGERS \
                WHERE EVENT_OBJECT_SCHEMA = \(database) AND EVENT_OBJECT_TABLE = \(name)), \
                (SELECT MD5(GROUP_CONCAT(CONCAT_WS('|', COLUMN_NAME, COLUMN_TYPE, COLLATION_NAME) ORDER BY ORDINAL_POSITION)) \
                FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = \(database) AND TABLE_NAME = \(name))
                """
            if !parts.contains(part) { parts.append(part) }
        }
        // A new child would lose rows that nobody counted.
        let names = tables.map { connection.innodbName(of: $0.tableName) }.joined(separator: ", ")
        let keys = """
            SELECT 'keys', MD5(GROUP_CONCAT(CONCAT_WS('|', ID, FOR_NAME, TYPE) ORDER BY ID)), NULL \
            FROM information_schema.INNODB_SYS_FOREIGN WHERE CAST(REF_NAME AS BINARY) IN (\(names))
            """
        question = (parts + [keys]).joined(separator: " UNION ALL ")
        state = try connection.query(question).rows
    }

    /// Throws a ``SchemaMismatch`` if something else is there by now.
    func check(in connection: Connection) throws {
        guard try connection.query(question).rows == state else {
            throw SchemaMismatch(
                "the tables, their triggers or their foreign keys were changed while rows were being deleted",
                hint: StoreHint.changingTables)
        }
    }
}
