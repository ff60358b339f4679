import SQLite

/// A foreign key: rows of one table, the child, refer to rows of another, the parent.
struct ForeignKey {
    let child: String
    let parent: String
    /// Whether a deleted parent row takes the child rows that refer to it along (ON DELETE CASCADE).
    let cascades: Bool
    /// Whether a deleted parent row changes or deletes the child rows that refer to it (also SET NULL, SET DEFAULT).
    let acts: Bool
    /// Whether a parent row may go before the child rows that refer to it, if these go in the same statement (NO ACTION).
    let waits: Bool
    private(set) var columns: [(child: String, parent: String)]

    /// The foreign keys in the schema that delete rows of any table.
    static func cascading(in db: Database) throws -> [ForeignKey] {
        try all(in: db).filter(\.cascades)
    }

    /// All foreign keys in the schema.
    static func all(in db: Database) throws -> [ForeignKey] {
        // A foreign key that names no column of the parent refers to its primary key.
        let rows = try db.rows(
            """
            SELECT t.name, k."table", k.seq, k."from", coalesce(k."to", \
            (SELECT name FROM pragma_table_info(k."table") WHERE pk = k.seq + 1)), \
            k.on_delete = 'CASCADE', k.on_delete IN ('CASCADE', 'SET NULL', 'SET DEFAULT'), \
            k.on_delete = 'NO ACTION' \
            FROM pragma_table_list AS t, pragma_foreign_key_list(t.name) AS k \
            WHERE t.schema = 'main' AND t.type = 'table' ORDER BY t.name, k.id, k.seq
            """)
        var keys: [ForeignKey] = []
        for row in rows {
            if row[2].integer == 0 {
                keys.append(
                    ForeignKey(
                        child: row[0].string, parent: row[1].string, cascades: row[5].integer != 0,
                        acts: row[6].integer != 0, waits: row[7].integer != 0, columns: []))
            }
            keys[keys.count - 1].columns.append((row[3].string, row[4].string))
        }
        return keys
    }

    /// Whether it refers to the primary key of `table` by one column, as `kept_by` does.
    func refers(toKeyOf table: TableSchema) -> Bool {
        parent.comparedName == table.name.comparedName && columns.count == 1 && table.primaryKey.count == 1
            && columns[0].parent.comparedName == table.primaryKey[0].comparedName
    }

    /// SQL that is true if the child row `child` refers to the parent row `parent`; both are names of a row. The parent
    /// is the left operand, because its collation decides.
    func matches(child: String, parent: String) -> String {
        columns.map {
            "\(parent.quotedIdentifier).\($0.parent.quotedIdentifier)"
                + " = \(child.quotedIdentifier).\($0.child.quotedIdentifier)"
        }.balanced("AND")
    }

    /// Whether SQLite searches for the child rows of a parent row, instead of scanning the child. The query contains
    /// the comparison itself, because an index with another collation, or on a column of another type, does not serve
    /// it.
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
    /// The foreign keys that refer to rows of `table`.
    func under(_ table: String) -> [ForeignKey] {
        filter { $0.parent.comparedName == table.comparedName }
    }

    /// The foreign keys of `table` itself.
    func over(_ table: String) -> [ForeignKey] {
        filter { $0.child.comparedName == table.comparedName }
    }
}
