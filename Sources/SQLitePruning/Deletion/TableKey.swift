/// The key of a row, carried from one statement to the next.
///
/// Text travels as its bytes: a Swift string would mend what is not Unicode, and so become another key.
struct TableKey {
    private let parts: [(value: DatabaseValue, isText: Bool)]

    /// SQL that fetches the key of a row for ``init(_:)``.
    static func selection(_ table: TableSchema) -> String {
        table.key.map { name in
            let column = table.column(name)
            return
                "typeof(\(column)) = 'text', iif(typeof(\(column)) = 'text', CAST(\(column) AS BLOB), \(column))"
        }.joined(separator: ", ")
    }

    /// The key in a row fetched by ``selection(_:)``, from this column on.
    init(_ row: Row, from first: Int = 0) {
        parts = stride(from: first, to: row.count, by: 2).map { (row[$0 + 1], row[$0].integer != 0) }
    }

    /// SQL for the key as a value, its parts bound as `prefix0`, `prefix1` and so on.
    func sql(_ prefix: String) -> String {
        TableSchema.rowValue(
            parts.indices.map { parts[$0].isText ? "CAST(:\(prefix)\($0) AS TEXT)" : ":\(prefix)\($0)" })
    }

    /// What ``sql(_:)`` binds.
    func arguments(_ prefix: String) -> [String: DatabaseValue] {
        Dictionary(
            uniqueKeysWithValues: parts.enumerated().map { ("\(prefix)\($0.offset)", $0.element.value) })
    }
}
