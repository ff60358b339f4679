import Pruning
import Retention
import RuleEngine
import SQLite

/// Looks at a store without reading all of it: its tables, and some rows of each. It needs no policy, changes nothing and
/// keeps no lock for longer than it looks at one table.
package struct SQLiteSketching: StoreSketching {
    let path: String
    let control: RunControl

    /// The store in the file at `path`, which must be absolute.
    package init(path: String, control: RunControl) {
        (self.path, self.control) = (path, control)
    }

    /// Throws ``StoreErrorKind/damaged`` if the file is no database.
    package func take() throws(StoreError) -> StoreSketch {
        let view = try SQLiteView(path: path, control: control)
        defer { view.close() }
        let (names, unseen, references, lacksLog, application) = try view.read("look at the schema") { db in
            let names = try db.rows(
                """
                SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'
                AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name
                """
            ).map(\.[0].string)
            let application = try db.value("PRAGMA application_id").integer
            let seen = Array(names.prefix(Self.mostTables))
            return try (
                seen, names.count - seen.count, ForeignKey.all(in: db), !db.isMadeForWAL(), application
            )
        }
        var tables: [TableSketch] = []
        let end = control.monotonic() + Self.patience
        for name in names {
            let left = max(.zero, end - control.monotonic())
            let patience = min(Self.longestLook, max(Self.shortestLook, left / 3))
            tables.append(try look(at: name, references, for: patience, in: view))
        }
        return StoreSketch(tables: tables, unseen: unseen, lacksLog: lacksLog, application: application)
    }

    package func count(_ questions: [KeyQuestion]) throws(StoreError) -> [Int?] {
        let view = try SQLiteView(path: path, control: control)
        defer { view.close() }
        let end = control.monotonic() + Self.patience
        var counts: [Int?] = []
        for question in questions {
            counts.append(control.monotonic() < end ? try count(question, in: view) : nil)
        }
        return counts
    }

    /// Nil if the table needs a part of its app.
    private func count(_ question: KeyQuestion, in view: SQLiteView) throws(StoreError) -> Int? {
        let column = question.column.quotedIdentifier
        let values = question.values.compactMap(\.sql).joined(separator: ", ")
        do {
            return try view.read("look for keys", .approximate) { db in
                Int(
                    try db.value(
                        "SELECT count(DISTINCT \(column)) FROM \(question.table.quotedIdentifier) WHERE \(column) IN (\(values))"
                    ).integer)
            }
        } catch {
            guard [.unsupported, .schema, .other].contains(error.kind) else { throw error }
            return nil
        }
    }

    /// Of a table that needs a part of its app, such as a collation, only the schema is known.
    private func look(
        at name: String, _ references: [ForeignKey], for patience: Duration, in view: SQLiteView
    ) throws(StoreError) -> TableSketch {
        try view.read("look at \(name)", .approximate) { [path, control] db in
            let look = try TableLook(
                name, references: references, clock: control.monotonic, patience: patience, in: db)
            guard let look else {
                return TableSketch(
                    name: name, rows: 0, columns: [], obstacle: "its rows have no key that SQL could name")
            }
            do {
                return try SQLiteFailure(operation: "look at \(name)", place: path).translating(look.sketch)
            } catch let error as StoreError where [.unsupported, .schema].contains(error.kind) {
                return look.outline(obstacle: error.cause)
            }
        }
    }

    /// How long to look at all tables, as long as each gets the shortest look.
    private static let patience: Duration = .milliseconds(1_500)
    private static let longestLook: Duration = .milliseconds(400)
    private static let shortestLook: Duration = .milliseconds(10)

    /// More tables than an app has, and few enough to look at in time.
    private static let mostTables = 300
}
