import SQLite

/// The key of a row, passed from one statement to the next.
///
/// Text is stored as bytes in the database's own encoding. A Swift string would repair invalid Unicode, and so become
/// another key. A CAST of the bytes would read UTF-16 as UTF-8.
struct TableKey: Equatable {
    private let parts: [DatabaseValue]

    /// SQL that fetches the key of a row for ``init(_:from:in:)``.
    static func selection(_ table: TableSchema) -> String {
        table.key.map { name in
            let column = table.column(name)
            return
                "typeof(\(column)) = 'text', iif(typeof(\(column)) = 'text', CAST(\(column) AS BLOB), \(column))"
        }.joined(separator: ", ")
    }

    /// Reads the key from a row fetched by ``selection(_:)``, starting at column `first`.
    init(_ row: Row, from first: Int = 0, in db: Database) throws(DatabaseError) {
        let encoding = try db.textEncoding()
        parts = stride(from: first, to: row.count, by: 2).map { column in
            let (isText, value) = (row[column].integer != 0, row[column + 1])
            if isText, case .blob(let bytes) = value { return .encodedText(bytes, encoding: encoding) }
            return value
        }
    }

    /// SQL for the key as a value. Its parts are the parameters `prefix0`, `prefix1` and so on.
    func sql(_ prefix: String) -> String {
        TableSchema.rowValue(parts.indices.map { ":\(prefix)\($0)" })
    }

    /// Whether this key comes after `other` in the order of `table`'s rows. SQLite compares the two, because it knows
    /// the key's collations and compares integers with real numbers exactly.
    func isPast(_ other: TableKey, in table: TableSchema, _ db: Database) throws -> Bool {
        let parts = zip(parts.indices, table.keyCollations).map { ":new\($0) COLLATE \($1.quotedIdentifier)" }
        return try db.value(
            "SELECT \(TableSchema.rowValue(parts)) > \(other.sql("old"))",
            arguments("new").merging(other.arguments("old")) { $1 }
        ).integer == 1
    }

    /// The parameters of ``sql(_:)``.
    func arguments(_ prefix: String) -> [String: DatabaseValue] {
        Dictionary(uniqueKeysWithValues: parts.enumerated().map { ("\(prefix)\($0.offset)", $0.element) })
    }
}
