import CSQLite

/// A value as SQLite stores it.
package enum DatabaseValue: Equatable {
    case null
    case int64(Int64)
    case double(Double)
    case text(String)
    case blob([UInt8])
    /// A text as it is stored, in one of SQLite's encodings (`SQLITE_UTF8` and so on). Only for binding.
    case encodedText([UInt8], encoding: UInt8)

    /// The integer; 0 for anything else.
    package var integer: Int64 {
        if case .int64(let value) = self { value } else { 0 }
    }

    /// The text; empty for anything else.
    package var string: String {
        if case .text(let value) = self { value } else { "" }
    }

    /// The bytes of a blob; empty for anything else.
    package var blob: [UInt8] {
        if case .blob(let value) = self { value } else { [] }
    }
}

/// The values of a row, in the order of the query's columns.
package typealias Row = [DatabaseValue]

extension DatabaseValue {
    /// The value in `column` of the current row of `statement`. Invalid UTF-8 in a text is repaired.
    package init(column: CInt, of statement: OpaquePointer) {
        switch sqlite3_column_type(statement, column) {
        case SQLITE_INTEGER: self = .int64(sqlite3_column_int64(statement, column))
        case SQLITE_FLOAT: self = .double(sqlite3_column_double(statement, column))
        case SQLITE_TEXT:
            // This may convert the text, so it comes before the length.
            let start = sqlite3_column_text(statement, column)
            let bytes = UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, column)))
            self = .text(String(decoding: bytes, as: UTF8.self))
        case SQLITE_BLOB:
            let start = sqlite3_column_blob(statement, column)
            let length = Int(sqlite3_column_bytes(statement, column))
            self = .blob(Array(UnsafeRawBufferPointer(start: start, count: length)))
        default: self = .null
        }
    }

    /// Binds the value to the parameter at `position` of `statement`. Returns SQLite's result code.
    package func bind(to position: CInt, of statement: OpaquePointer) -> CInt {
        switch self {
        case .null: sqlite3_bind_null(statement, position)
        case .int64(let value): sqlite3_bind_int64(statement, position, value)
        case .double(let value): sqlite3_bind_double(statement, position, value)
        case .text(let value):
            sqlite3_bind_text(statement, position, value, CInt(value.utf8.count), Self.copied)
        case .encodedText(let value, let encoding):
            value.isEmpty
                ? sqlite3_bind_text(statement, position, "", 0, Self.copied)
                : value.withUnsafeBytes { bytes in
                    sqlite3_bind_text64(
                        statement, position, bytes.baseAddress?.assumingMemoryBound(to: CChar.self),
                        UInt64(bytes.count), Self.copied, encoding)
                }
        case .blob(let value):
            // An empty array has no address, which SQLite would bind as NULL.
            value.isEmpty
                ? sqlite3_bind_zeroblob(statement, position, 0)
                : sqlite3_bind_blob(statement, position, value, CInt(value.count), Self.copied)
        }
    }

    /// `SQLITE_TRANSIENT`, a macro that Swift cannot import: SQLite copies the bytes before the call returns.
    private static var copied: sqlite3_destructor_type {
        unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    }
}
