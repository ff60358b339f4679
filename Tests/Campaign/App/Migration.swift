/// A state of the schema in which the rule does not fit the table, so that no row may go.
enum Migration: CaseIterable {
    /// A trigger writes to a table that the rule does not name.
    case trigger
    /// The table has another name.
    case renamedTable
    /// The column that protects rows has another name.
    case renamedColumn

    /// The statements that lead there.
    func begin(_ app: inout RandomApp, _ kind: StoreKind) -> String {
        app.model.frozen = "the schema has \(self)"
        switch self {
        case .trigger:
            let event = app.tables.action == .mark ? "UPDATE" : "DELETE"
            let (statement, head) = (
                "INSERT INTO trail VALUES (old.id)", "CREATE TRIGGER following AFTER \(event) ON item"
            )
            switch kind {
            case .file: return "\(head) BEGIN \(statement); END"
            case .mariaDB: return "\(head) FOR EACH ROW \(statement)"
            case .postgreSQL:
                return """
                    CREATE FUNCTION trail() RETURNS trigger LANGUAGE plpgsql AS
                        'BEGIN \(statement); RETURN old; END';
                    \(head) FOR EACH ROW EXECUTE FUNCTION trail()
                    """
            }
        case .renamedTable:
            app.item = "moved"
            return "ALTER TABLE item RENAME TO moved"
        case .renamedColumn:
            app.starred = "pinned"
            return "ALTER TABLE item RENAME COLUMN starred TO pinned"
        }
    }

    /// The statements that lead back.
    func end(_ app: inout RandomApp, _ kind: StoreKind) -> String {
        app.model.frozen = nil
        switch self {
        case .trigger:
            switch kind {
            case .file, .mariaDB: return "DROP TRIGGER following"
            case .postgreSQL: return "DROP TRIGGER following ON item; DROP FUNCTION trail"
            }
        case .renamedTable:
            app.item = "item"
            return "ALTER TABLE moved RENAME TO item"
        case .renamedColumn:
            app.starred = "starred"
            return "ALTER TABLE item RENAME COLUMN pinned TO starred"
        }
    }
}
