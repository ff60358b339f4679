import SQLite

/// A trigger by which apps keep a full-text index in step with the table that has its content, as SQLite's documentation
/// of FTS5 shows them:
///
///     CREATE TRIGGER name AFTER DELETE ON table BEGIN
///       INSERT INTO index(index, rowid, columns...) VALUES ('delete', old.key, old.columns...);
///     END;
///     CREATE TRIGGER name AFTER INSERT ON table BEGIN
///       INSERT INTO index(rowid, columns...) VALUES (new.key, new.columns...);
///     END
///
/// It changes nothing but the index, and that only for the row. So it may fire without a schema that knows it.
struct IndexTrigger {
    /// What it is told of.
    enum Event: String {
        case delete, insert
    }

    /// The index into which the trigger `name` on `table` writes; nil if it does anything else.
    static func index(
        of name: String, at event: Event, on table: TableSchema, in db: Database
    ) throws -> String? {
        let statements = try db.rows(
            "SELECT sql FROM sqlite_schema WHERE type = 'trigger' AND name = :name AND lower(tbl_name) = lower(:table)",
            ["name": .text(name), "table": .text(table.name)])
        guard let statement = statements.first?[0].string, let found = IndexTrigger(statement, event),
            let index = try found.index(on: table, in: db)
        else { return nil }
        let columns = try db.rows(
            "SELECT name FROM pragma_table_info(:index)", ["index": .text(index.index)]
        ).map(\.[0].string.foldedName)
        // Only a primary key that is declared so is the rowid.
        let keys = table.primaryKey.filter { table.columnNamed($0)?.type.uppercased() == "INTEGER" }
        let isRowID = keys.count == 1 && table.primaryKey.count == 1 && !table.isWithoutRowID
        let key = isRowID ? keys[0].foldedName : "rowid"
        let isKey = { (name: String) in name == key || (name == "rowid" && table.columnNamed("rowid") == nil)
        }
        var (targets, values) = (found.targets[...], found.values[...])
        if event == .delete {
            guard targets.popFirst() == index.index.foldedName, values.popFirst() == "'delete'" else {
                return nil
            }
        }
        guard targets.popFirst() == "rowid", let row = values.popFirst(), isKey(row),
            isKey(index.rowID.foldedName), Array(targets) == Array(values), Set(targets) == Set(columns)
        else { return nil }
        return index.index
    }

    private let table: String
    private let targets: [String]
    /// The values: a text, or the column of the row.
    private let values: [String]

    /// Nil if the statement has any other form.
    private init?(_ statement: String, _ event: Event) {
        var words = SQLToken.comparable(statement)[...]
        func take(_ expected: String...) -> Bool {
            guard words.starts(with: expected) else { return false }
            words = words.dropFirst(expected.count)
            return true
        }
        guard take("create", "trigger"), words.popFirst() != nil else { return nil }
        // Before an insertion the rowid is not known.
        _ = take("after") || event == .delete && take("before")
        guard take(event.rawValue, "on"), words.popFirst() != nil else { return nil }
        _ = take("for", "each", "row")
        guard take("begin", "insert", "into"), let table = words.popFirst(), take("(") else { return nil }
        let targets = Array(words.prefix { $0 != ")" })
        words = words.dropFirst(targets.count)
        guard take(")", "values", "(") else { return nil }
        let values = Array(words.prefix { $0 != ")" })
        words = words.dropFirst(values.count)
        guard take(")", ";", "end") else { return nil }
        _ = take(";")
        guard words.isEmpty else { return nil }
        let row = event == .delete ? "old" : "new"
        self.table = table
        self.targets = targets.split(separator: ",").map { $0.joined(separator: " ") }
        self.values = values.split(separator: ",").map { value in
            value.starts(with: [row, "."]) && value.count == 3
                ? value.last ?? "" : value.joined(separator: " ")
        }
    }

    /// The index into which it writes, if that has its content in `table`.
    private func index(on table: TableSchema, in db: Database) throws -> ExternalContent? {
        let statements = try db.rows(
            "SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND rootpage = 0 AND lower(name) = lower(:name)",
            ["name": .text(self.table)])
        let found = statements.first.flatMap {
            ExternalContent(index: $0[0].string, statement: $0[1].string)
        }
        guard let found, found.isFTS5, found.source.comparedName == table.name.comparedName else {
            return nil
        }
        return found
    }
}
