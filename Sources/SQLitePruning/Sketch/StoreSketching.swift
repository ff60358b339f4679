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
        let (names, references, lacksLog) = try view.read("look at the schema") { db in
            let names = try db.rows(
                """
                SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'
                AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name LIMIT \(Self.mostTables)
                """
            ).map(\.[0].string)
            return try (names, ForeignKey.all(in: db), !db.isMadeForWAL())
        }
        var tables: [TableSketch] = []
        for name in names {
            let table = try view.read("look at \(name)", .approximate) { [control] db in
                try TableLook(name, references: references, clock: control.monotonic, in: db)?.sketch()
            }
            if let table { tables.append(table) }
        }
        return StoreSketch(tables: tables, lacksLog: lacksLog)
    }

    /// More tables than an app has, and few enough to look at in time.
    private static let mostTables = 300
}
