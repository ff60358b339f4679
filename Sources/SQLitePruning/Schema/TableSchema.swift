import SQLite

/// What the schema says of one table.
struct TableSchema: Equatable {
    struct Column: Equatable {
        let name: String
        let type: String
        let isNotNull: Bool
        /// Computed when it is read, and not held to its type even in a STRICT table.
        let isVirtual: Bool
        /// Computed, whether when it is read or when the row is written.
        let isGenerated: Bool
        /// SQL; nil when there is none.
        let defaultValue: String?
        /// By which it is compared where nothing else is said.
        let collation: String

        /// Whether numbers become text in it, and when they are compared with it; sqlite.org/datatype3.html, 3.1.
        var holdsNumbersAsText: Bool {
            let type = type.uppercased()
            return !type.contains("INT") && ["CHAR", "CLOB", "TEXT"].contains { type.contains($0) }
        }
    }

    /// As the schema spells it.
    let name: String
    let isStrict: Bool
    let columns: [Column]
    /// What identifies a row and orders the table: the primary key of a WITHOUT ROWID table, else the rowid.
    let key: [String]
    /// By which each part of the key is compared; a primary key may have another collation than its column.
    let keyCollations: [String]
    /// The declared primary key.
    let primaryKey: [String]
    /// Whether there may be rows without a whole key: SQLite lets a primary key be NULL, in any number of rows.
    let mayLackKey: Bool
    /// Whether the table is its own key's index, and its other indexes lead to that key.
    let isWithoutRowID: Bool

    /// SQL that names a column, always with its table: SQLite reads an unknown `"c"` alone as a string.
    func column(_ name: String) -> String {
        self.name.quotedIdentifier + "." + name.quotedIdentifier
    }

    /// SQL for each part of the key, compared as the key compares it.
    var keyParts: [String] {
        zip(key, keyCollations).map { name, collation in
            let own = columnNamed(name)?.collation ?? collation
            let isOwn = own.comparedName == collation.comparedName
            return column(name) + (isOwn ? "" : " COLLATE " + collation.quotedIdentifier)
        }
    }

    /// SQL for the key as a value, or as a row value when it has several columns.
    var keySQL: String { Self.rowValue(keyParts) }

    /// Every column that is not computed.
    var storedColumns: [String] { columns.filter { !$0.isGenerated }.map(\.name) }

    /// Whether the archive has the rowid, too: where a row may have no other name, and SQLite, which returns no more
    /// columns than a table may have, can tell it.
    var archivesRowID: Bool { mayLackKey && storedColumns.count < 2_000 }

    /// What is kept of a row in the archive, and brings it back.
    var archivedColumns: [String] { (archivesRowID ? key : []) + storedColumns }

    /// What tells a row from others even after a VACUUM, which may change rowids: the declared primary key, else all
    /// that is stored.
    var identity: [String] { primaryKey.isEmpty ? storedColumns : primaryKey }

    /// What a lease knows a row by: of ``identity`` as much as an SQL function takes arguments for. What differs from a
    /// leased row in none of it stays, too.
    var leaseKey: [String] { Array(identity.prefix(100)) }

    /// SQL that orders rows by their key.
    var keyOrder: String { keyParts.joined(separator: ", ") }

    /// SQL that says where SQLite finds a table's rows: by an index, or by the table itself.
    static func looking(into index: String?) -> String {
        index.map { "INDEXED BY " + $0.quotedIdentifier } ?? "NOT INDEXED"
    }

    static func rowValue(_ parts: [String]) -> String {
        parts.count == 1 ? parts[0] : "(" + parts.joined(separator: ", ") + ")"
    }

    /// Whether the column holds nothing but integers and NULL, by the schema.
    ///
    /// A STRICT table does not hold the rows that it has to the type of a column that ALTER TABLE adds: they show its
    /// default value, whatever that is.
    func isAlwaysInteger(_ column: Column) -> Bool {
        isStrict && !column.isVirtual && ["INT", "INTEGER"].contains(column.type.uppercased())
            && column.defaultValue.map { Int64($0) != nil } ?? true
    }

    func columnNamed(_ name: String) -> Column? {
        columns.first { $0.name.comparedName == name.comparedName }
    }
}

extension TableSchema {
    /// What kind of thing a name of the schema is.
    enum Kind: String {
        case table, view, virtual, shadow
    }

    /// The kind of `name` in the main schema; nil when there is no such thing.
    static func kind(of name: String, in db: Database) throws -> (name: String, kind: Kind)? {
        let row = try db.row(
            "SELECT name, type FROM pragma_table_list WHERE schema = 'main' AND lower(name) = lower(:name)",
            ["name": .text(name)])
        guard let row, let kind = Kind(rawValue: row[1].string) else { return nil }
        return (row[0].string, kind)
    }

    /// The schema of a real table; nil when there is none of this name.
    init?(_ name: String, in db: Database) throws {
        guard
            let table = try db.row(
                """
                SELECT name, strict, wr FROM pragma_table_list
                WHERE schema = 'main' AND type = 'table' AND lower(name) = lower(:name)
                """, ["name": .text(name)])
        else { return nil }
        self.name = table[0].string
        isStrict = table[1].integer != 0
        let columns = "FROM pragma_table_xinfo(:name)"
        self.columns = try db.rows(
            "SELECT name, type, \"notnull\", hidden = 2, dflt_value, hidden IN (2, 3) \(columns) ORDER BY cid",
            ["name": table[0]]
        ).map {
            Column(
                name: $0[0].string, type: $0[1].string, isNotNull: $0[2].integer != 0,
                isVirtual: $0[3].integer != 0, isGenerated: $0[5].integer != 0,
                defaultValue: $0[4] == .null ? nil : $0[4].string,
                collation: try db.collation(of: $0[0].string, in: table[0].string))
        }
        primaryKey = try db.rows(
            "SELECT name \(columns) WHERE pk > 0 ORDER BY pk", ["name": table[0]]
        ).map(\.[0].string)
        isWithoutRowID = table[2].integer != 0
        if isWithoutRowID {
            let parts = try db.rows(
                """
                SELECT part.name, part.coll FROM pragma_index_list(:name) AS i, pragma_index_xinfo(i.name) AS part
                WHERE i.origin = 'pk' AND part.key ORDER BY part.seqno
                """, ["name": table[0]])
            (key, keyCollations) = (parts.map(\.[0].string), parts.map(\.[1].string))
        } else {
            let taken = Set(self.columns.map(\.name.comparedName))
            guard let rowID = ["rowid", "_rowid_", "oid"].first(where: { !taken.contains($0.comparedName) })
            else {
                return nil
            }
            (key, keyCollations) = ([rowID], ["BINARY"])
        }
        // Of a key without an index the rowid is the value.
        let nullable = Set(self.columns.filter { !$0.isNotNull }.map(\.name.comparedName))
        let keyIndex = "SELECT 1 FROM pragma_index_list(:name) WHERE origin = 'pk'"
        mayLackKey =
            try !isWithoutRowID
            && (primaryKey.isEmpty
                || primaryKey.contains { nullable.contains($0.comparedName) }
                    && db.row(keyIndex, ["name": table[0]]) != nil)
    }
}
