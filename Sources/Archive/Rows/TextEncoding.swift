/// Values of a store that writes every value as a text, under settings that it is given.
///
/// A value begins with its length plus one, or 0 for NULL; seven bits in each byte, the lowest first, with the eighth bit
/// set in all bytes but the last. The bytes follow. They need not be UTF-8: a database in SQL_ASCII has any.
package enum TextEncoding {
    package static func append(_ value: UnsafeRawBufferPointer?, to bytes: inout [UInt8]) {
        guard let value else { return bytes.append(0) }
        var length = value.count + 1
        while length >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: length) | 0x80)
            length >>= 7
        }
        bytes.append(UInt8(length))
        bytes.append(contentsOf: value)
    }

    package static func append(_ value: [UInt8]?, to bytes: inout [UInt8]) {
        guard let value else { return bytes.append(0) }
        value.withUnsafeBytes { append($0, to: &bytes) }
    }

    /// Rows of `columns` values each. Throws ``RowEncoding/Unreadable`` when `bytes` are not such rows.
    package static func rows(in bytes: [UInt8], columns: Int) throws(RowEncoding.Unreadable)
        -> [[ArchivedValue]]
    {
        guard columns > 0 else { throw RowEncoding.Unreadable() }
        var rows: [[ArchivedValue]] = []
        var position = 0
        while position < bytes.count {
            var row: [ArchivedValue] = []
            row.reserveCapacity(columns)
            for _ in 0..<columns { row.append(try value(in: bytes, at: &position)) }
            rows.append(row)
        }
        return rows
    }

    private static func value(in bytes: [UInt8], at position: inout Int) throws(RowEncoding.Unreadable)
        -> ArchivedValue
    {
        var length = 0
        for shift in stride(from: 0, to: 56, by: 7) {
            guard position < bytes.count else { throw RowEncoding.Unreadable() }
            let byte = bytes[position]
            position += 1
            length |= Int(byte & 0x7F) << shift
            guard byte & 0x80 == 0 else { continue }
            guard length > 0 else { return .null }
            guard length - 1 <= bytes.count - position else { throw RowEncoding.Unreadable() }
            defer { position += length - 1 }
            return .text(Array(bytes[position..<position + length - 1]))
        }
        throw RowEncoding.Unreadable()
    }
}
