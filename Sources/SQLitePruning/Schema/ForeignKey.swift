import SQLite

/// A foreign key: rows of one table, the child, point at rows of another, the parent.
struct ForeignKey {
    let child: String
    let parent: String
    /// Whether the child's rows are deleted with the row that they point at.
    let cascades: Bool
    private(set) var columns: [(child: String, parent: String)]

    /// Those in the schema that delete rows, of whatever tables.
    static func cascading(in db: Database) throws -> [ForeignKey] {
        try all(in: db).filter(\.cascades)
    }

    /// All in the schema.
    static func all(in db: Database) throws -> [ForeignKey] {
        // What names no column of the parent points at its primary key.
        let rows = try db.rows(
            """
            SELECT t.name, k."table", k.seq, k."from", coalesce(k."to", \
            (SELECT name FROM pragma_table_info(k."table") WHERE pk = k.seq + 1)), \
            k.on_delete = 'CASCADE' \
            FROM pragma_table_list AS t, pragma_foreign_key_list(t.name) AS k \
            WHERE t.schema = 'main' AND t.type = 'table' ORDER BY t.name, k.id, k.seq
            """)
        var keys: [ForeignKey] = []
        for row in rows {
            if row[2].integer == 0 {
                keys.append(
                    ForeignKey(
                        child: row[0].string, parent: row[1].string, cascades: row[5].integer != 0,
                        columns: []))
            }
            keys[keys.count - 1].columns.append((row[3].string, row[4].string))
        }
        return keys
    }

    /// SQL that is true where the child's row `child` points at the parent's row `parent`; both are names for a row. The
    /// parent stands first, for it is its collation that counts.
    func matches(child: String, parent: String) -> String {
        columns.map {
            "\(parent.quotedIdentifier).\($0.parent.quotedIdentifier)"
                + " = \(child.quotedIdentifier).\($0.child.quotedIdentifier)"
        }.balanced("AND")
    }

    /// Whether SQLite looks the child's rows of a parent's row up, rather than read all of the child. Asked with the
    /// comparison itself: neither an index of another collation serves it, nor one on a column of another type.
    func isSearched(in db: Database) throws -> Bool {
        let name = parent + " child"
        let steps = try db.queryPlan(
            of: """
                SELECT 1 FROM \(parent.quotedIdentifier) WHERE EXISTS (SELECT 1 FROM \(child.quotedIdentifier) \
                AS \(name.quotedIdentifier) WHERE \(matches(child: name, parent: parent)))
                """)
        return steps.contains {
            $0.hasPrefix("SEARCH \(name) ") && !$0.hasPrefix("SEARCH \(name) USING AUTOMATIC")
        }
    }
}

extension [ForeignKey] {
    /// Those that point at rows of `table`.
    func under(_ table: String) -> [ForeignKey] {
        filter { $0.parent.comparedName == table.comparedName }
    }

    /// Those of the rows of `table`.
    func over(_ table: String) -> [ForeignKey] {
        filter { $0.child.comparedName == table.comparedName }
    }
}
