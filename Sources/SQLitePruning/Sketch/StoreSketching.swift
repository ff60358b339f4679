import Pruning
import Retention
import SQLite

/// Looks at a store without reading all of it: its tables, and some rows of each. It needs no policy, changes nothing and
/// keeps no lock for longer than it looks at one table.
package struct StoreSketching {
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
        let (names, references, lacksLog, application) = try view.read("look at the schema") { db in
            let names = try db.rows(
                """
                SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'
                AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name LIMIT \(Self.mostTables)
                """
            ).map(\.[0].string)
            let application = try db.value("PRAGMA application_id").integer
            return try (names, ForeignKey.all(in: db), !db.isMadeForWAL(), application)
        }
        var tables: [TableSketch] = []
        let end = control.monotonic() + Self.patience
        for name in names {
            let left = max(.zero, end - control.monotonic())
            let patience = min(Self.longestLook, max(Self.shortestLook, left / 3))
            let table = try view.read("look at \(name)", .approximate) { [control] db in
                try TableLook(
                    name, references: references, clock: control.monotonic, patience: patience, in: db)?
                    .sketch()
            }
            if let table { tables.append(table) }
        }
        return StoreSketch(tables: tables, lacksLog: lacksLog, application: application)
    }

    /// How long to look at all tables, as long as each gets the shortest look.
    private static let patience: Duration = .milliseconds(1_500)
    private static let longestLook: Duration = .milliseconds(400)
    private static let shortestLook: Duration = .milliseconds(10)

    /// More tables than an app has, and few enough to look at in time.
    private static let mostTables = 300
}
