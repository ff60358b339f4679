/// A foreign key that deletes rows of one table, the child, with the row of another that they point at.
struct CascadingKey {
    let child: String
    let parent: String
    private var columns: [(child: String, parent: String)]

    /// All in the schema, of whatever tables.
    static func all(in db: Database) throws -> [CascadingKey] {
        // What names no column of the parent points at its primary key.
        let rows = try db.rows(
            """
            SELECT t.name, k."table", k.seq, k."from", coalesce(k."to", \
            (SELECT name FROM pragma_table_info(k."table") WHERE pk = k.seq + 1)) \
            FROM pragma_table_list AS t, pragma_foreign_key_list(t.name) AS k \
            WHERE t.schema = 'main' AND t.type = 'table' AND k.on_delete = 'CASCADE' ORDER BY t.name, k.id, k.seq
            """)
        var keys: [CascadingKey] = []
        for row in rows {
            if row[2].integer == 0 {
                keys.append(CascadingKey(child: row[0].string, parent: row[1].string, columns: []))
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
}

extension [CascadingKey] {
    /// Those that delete rows with rows of `table`.
    func under(_ table: String) -> [CascadingKey] {
        filter { $0.parent.comparedName == table.comparedName }
    }

    /// Those that delete rows of `table`.
    func over(_ table: String) -> [CascadingKey] {
        filter { $0.child.comparedName == table.comparedName }
    }
}
