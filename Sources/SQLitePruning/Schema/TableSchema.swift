import RuleEngine
import SQLite

/// What the schema says about one table.
struct TableSchema: Equatable {
    struct Column: Equatable {
        let name: String
        let type: String
        let isNotNull: Bool
        /// Computed when it is read. SQLite does not enforce its type, not even in a STRICT table.
        let isVirtual: Bool
        /// Computed, either when it is read or when the row is written.
        let isGenerated: Bool
        /// As SQL; nil if there is none.
        let defaultValue: String?
        /// The collation of comparisons that name no other.
        let collation: String

        /// Whether the column has text affinity: numbers are stored and compared as text (sqlite.org/datatype3.html,
        /// 3.1).
        var holdsNumbersAsText: Bool {
            let type = type.uppercased()
            return !type.contains("INT") && ["CHAR", "CLOB", "TEXT"].contains { type.contains($0) }
        }

        /// Whether it holds texts or bytes, by its declared type.
        var isContent: Bool { holdsNumbersAsText || type.isEmpty || type.uppercased().contains("BLOB") }
    }

    /// With the schema's spelling.
    let name: String
    let isStrict: Bool
    let columns: [Column]
    /// The columns that identify a row and order the table: the primary key of a WITHOUT ROWID table, else the rowid.
    let key: [String]
    /// The collation of each part of the key. A primary key may have another collation than its column.
    let keyCollations: [String]
    /// The declared primary key.
    let primaryKey: [String]
    /// Whether rows may lack a complete primary key. SQLite allows NULL in a primary key, in any number of rows.
    let mayLackKey: Bool
    /// Whether the table is stored in the order of its primary key, and its other indexes refer to that key.
    let isWithoutRowID: Bool
    /// The index that is the table itself, of a WITHOUT ROWID table.
    private let ownIndex: String?

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

    /// SQL for the key as a value, or as a row value if it has several columns.
    var keySQL: String { Self.rowValue(keyParts) }

    /// Every column that is not computed.
    var storedColumns: [String] { columns.filter { !$0.isGenerated }.map(\.name) }

    /// Whether the archive also stores the rowid. It does if the rowid may be the row's only name. A table with 2,000
    /// columns is excepted, because SQLite returns no more columns than that.
    var archivesRowID: Bool { mayLackKey && storedColumns.count < 2_000 }

    /// The columns that the archive stores of a row, and from which a restore builds it.
    var archivedColumns: [String] { (archivesRowID ? key : []) + storedColumns }

    /// The columns that identify a row even after a VACUUM, which may change rowids: the declared primary key, else all
    /// stored columns.
    var identity: [String] { primaryKey.isEmpty ? storedColumns : primaryKey }

    /// The columns by which a lease identifies a row: as many of ``identity`` as an SQL function can take as arguments.
    /// A row that equals a leased row in all of them also stays.
    var leaseKey: [String] { Array(identity.prefix(100)) }

    /// SQL that orders rows by their key.
    var keyOrder: String { keyParts.joined(separator: ", ") }

    /// SQL that tells SQLite where to find the table's rows: by an index, or, if that is nil, by the table itself. SQLite
    /// does not obey NOT INDEXED for a WITHOUT ROWID table.
    func looking(into index: String?) -> String {
        (index ?? ownIndex).map { "INDEXED BY " + $0.quotedIdentifier } ?? "NOT INDEXED"
    }

    /// SQL for the table's rows, read from the table itself. An index may be damaged, or have the values of a function that
    /// the app defines otherwise, so none may decide that a row goes.
    var itself: String { name.quotedIdentifier + " " + looking(into: nil) }

    static func rowValue(_ parts: [String]) -> String {
        parts.count == 1 ? parts[0] : "(" + parts.joined(separator: ", ") + ")"
    }

    /// Whether the schema guarantees that the column contains only integers and NULL.
    ///
    /// If ALTER TABLE adds a column to a STRICT table, the existing rows show its default value. SQLite does not check
    /// that value against the type.
    func isAlwaysInteger(_ column: Column) -> Bool {
        isStrict && !column.isVirtual && ["INT", "INTEGER"].contains(column.type.uppercased())
            && column.defaultValue.map { Int64($0) != nil } ?? true
    }

    /// The column that the catalog has. A setting that was bound is never left out: throws if it is gone.
    func required(_ column: Table.Column) throws(SchemaMismatch) -> Column {
        guard let found = columnNamed(column.name) else {
            throw SchemaMismatch.gone("\(name).\(column.name)")
        }
        return found
    }

    func columnNamed(_ name: String) -> Column? {
        columns.first { $0.name.comparedName == name.comparedName }
    }
}

extension TableSchema {
    /// The kind of object that a name in the schema refers to.
    enum Kind: String {
        case table, view, virtual, shadow
    }

    /// The kind of `name` in the main schema; nil if there is no such object.
    static func kind(of name: String, in db: Database) throws -> (name: String, kind: Kind)? {
        let row = try db.row(
            "SELECT name, type FROM pragma_table_list WHERE schema = 'main' AND lower(name) = lower(:name)",
            ["name": .text(name)])
        guard let row, let kind = Kind(rawValue: row[1].string) else { return nil }
        return (row[0].string, kind)
    }

    /// The schema of an ordinary table; nil if there is none of this name, or if its rowid has no name left.
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
                SELECT part.name, part.coll, i.name FROM pragma_index_list(:name) AS i, pragma_index_xinfo(i.name) AS part
                WHERE i.origin = 'pk' AND part.key ORDER BY part.seqno
                """, ["name": table[0]])
            (key, keyCollations) = (parts.map(\.[0].string), parts.map(\.[1].string))
            ownIndex = parts.first?[2].string
        } else {
            let taken = Set(self.columns.map(\.name.comparedName))
            guard let rowID = ["rowid", "_rowid_", "oid"].first(where: { !taken.contains($0.comparedName) })
            else {
                return nil
            }
            (key, keyCollations, ownIndex) = ([rowID], ["BINARY"], nil)
        }
        // A primary key without an index is the rowid, which is never NULL.
        let nullable = Set(self.columns.filter { !$0.isNotNull }.map(\.name.comparedName))
        let keyIndex = "SELECT 1 FROM pragma_index_list(:name) WHERE origin = 'pk'"
        mayLackKey =
            try !isWithoutRowID
            && (primaryKey.isEmpty
                || primaryKey.contains { nullable.contains($0.comparedName) }
                    && db.row(keyIndex, ["name": table[0]]) != nil)
    }
}
