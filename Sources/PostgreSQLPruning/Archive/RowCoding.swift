/// Rows as the archive stores them: each value as the text that the server wrote, under the settings of
/// ``TransactionKind/begin``.
///
/// A value begins with its length plus one, or 0 for NULL; seven bits in each byte, the lowest first, with the eighth bit
/// set in all bytes but the last. The bytes follow. They need not be UTF-8: a database in SQL_ASCII has any.
enum RowCoding {
    typealias Value = [UInt8]?

    /// The bytes that were read are not in this encoding.
    struct Unreadable: Error {}

    static func append(_ value: UnsafeRawBufferPointer?, to bytes: inout [UInt8]) {
        guard let value else { return bytes.append(0) }
        var length = value.count + 1
        while length >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: length) | 0x80)
            length >>= 7
        }
        bytes.append(UInt8(length))
        bytes.append(contentsOf: value)
    }

    static func append(_ value: Value, to bytes: inout [UInt8]) {
        guard let value else { return bytes.append(0) }
        value.withUnsafeBytes { append($0, to: &bytes) }
    }

    /// Rows of `columns` values each. Throws ``Unreadable`` when `bytes` are not such rows.
    static func rows(in bytes: [UInt8], columns: Int) throws(Unreadable) -> [[Value]] {
        guard columns > 0 else { throw Unreadable() }
        var rows: [[Value]] = []
        var position = 0
        while position < bytes.count {
            var row: [Value] = []
            row.reserveCapacity(columns)
            for _ in 0..<columns { row.append(try value(in: bytes, at: &position)) }
            rows.append(row)
        }
        return rows
    }

    private static func value(in bytes: [UInt8], at position: inout Int) throws(Unreadable) -> Value {
        var length = 0
        for shift in stride(from: 0, to: 56, by: 7) {
            guard position < bytes.count else { throw Unreadable() }
            let byte = bytes[position]
            position += 1
            length |= Int(byte & 0x7F) << shift
            guard byte & 0x80 == 0 else { continue }
            guard length > 0 else { return nil }
            guard length - 1 <= bytes.count - position else { throw Unreadable() }
            defer { position += length - 1 }
            return Array(bytes[position..<position + length - 1])
        }
        throw Unreadable()
    }
}
