/// Values of a store that writes every value as a text, under settings that it is given.
///
/// A value begins with its length plus one, or 0 for NULL; seven bits in each byte, the lowest first, with the eighth bit
/// set in all bytes but the last. The bytes follow. They need not be UTF-8: a database in SQL_ASCII has any.
package enum TextEncoding {
    package static func append(_ value: UnsafeRawBufferPointer?, to bytes: inout [UInt8]) {
        guard let value else { return bytes.append(0) }
        RowEncoding.append(length: value.count + 1, to: &bytes)
        bytes.append(contentsOf: value)
    }

    package static func append(_ value: [UInt8]?, to bytes: inout [UInt8]) {
        guard let value else { return bytes.append(0) }
        value.withUnsafeBytes { append($0, to: &bytes) }
    }

    /// Rows of `columns` values each. Throws ``RowEncoding/Unreadable`` when `bytes` are not such rows.
    static func rows(
        in bytes: [UInt8], columns: Int
    ) throws(RowEncoding.Unreadable) -> [[ArchivedValue]] {
        try RowEncoding.rows(in: bytes, columns: columns, reading: value)
    }

    private static func value(
        in bytes: [UInt8], at position: inout Int
    ) throws(RowEncoding.Unreadable) -> ArchivedValue {
        let length = try RowEncoding.length(in: bytes, at: &position)
        guard length > 0 else { return .null }
        return .text(Array(try RowEncoding.take(length - 1, of: bytes, at: &position)))
    }
}
