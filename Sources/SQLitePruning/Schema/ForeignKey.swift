import Retention
import RuleEngine
import SQLite

extension ForeignKey {
    /// The foreign keys in the schema that delete rows of any table.
    static func cascading(in db: Database) throws -> [ForeignKey] {
        try all(in: db).filter(\.cascades)
    }

    /// All foreign keys in the schema. Names of tables that are there have the schema's spelling.
    static func all(in db: Database) throws -> [ForeignKey] {
        // A foreign key that names no column of the parent refers to its primary key.
        let rows = try db.rows(
            """
            SELECT t.name, k.id, k."table", k."from", coalesce(k."to", \
            (SELECT name FROM pragma_table_info(k."table") WHERE pk = k.seq + 1)), k.on_delete, k.seq \
            FROM pragma_table_list AS t, pragma_foreign_key_list(t.name) AS k \
            WHERE t.schema = 'main' AND t.type = 'table' ORDER BY t.name, k.id, k.seq
            """)
        guard !rows.isEmpty else { return [] }
        let tables = try db.rows("SELECT name FROM pragma_table_list WHERE schema = 'main'")
        let spelled = Dictionary(tables.map { ($0[0].string.comparedName, $0[0].string) }) { first, _ in first
        }
        var parts: [[Row]] = []
        for row in rows {
            if row[6].integer > 0 { parts[parts.count - 1].append(row) } else { parts.append([row]) }
        }
        return parts.map { parts in
            let parent = parts[0][2].string
            return ForeignKey(
                of: TableName(parts[0][0].string), parts.map(\.[3].string),
                to: TableName(spelled[parent.comparedName] ?? parent), parts.map(\.[4].string),
                onDelete: StoreSchema.ForeignKey.Action(rawValue: parts[0][5].string.foldedName) ?? .none)
        }
    }

    /// Whether a parent row may go before the child rows that refer to it, if these go in the same statement.
    var waits: Bool { onDelete == .none }

    /// The columns in pairs.
    var columns: [(child: String, parent: String)] {
        zip(childColumns, parentColumns).map { (child: $0, parent: $1) }
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
        let name = parent.name + " child"
        let steps = try db.queryPlan(
            of: """
                SELECT 1 FROM \(parent.name.quotedIdentifier) WHERE EXISTS (SELECT 1 FROM \(child.name.quotedIdentifier) \
                AS \(name.quotedIdentifier) WHERE \(matches(child: name, parent: parent.name)))
                """)
        return steps.contains {
            $0.hasPrefix("SEARCH \(name) ") && !$0.hasPrefix("SEARCH \(name) USING AUTOMATIC")
        }
    }
}

extension [ForeignKey] {
    /// The foreign keys that refer to rows of `table`.
    func under(_ table: String) -> [ForeignKey] {
        filter { $0.parent.name.comparedName == table.comparedName }
    }

    /// The foreign keys of `table` itself.
    func over(_ table: String) -> [ForeignKey] {
        filter { $0.child.name.comparedName == table.comparedName }
    }
}
