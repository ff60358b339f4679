/// Values of a store that gives a value its type: bit for bit what it stored, with text as its bytes.
///
/// Each value begins with a byte for its type. In an integer or a real number eight bytes follow, the lowest first. In
/// a text or a blob the length and the bytes follow. The length has seven bits in each byte, the lowest first; the
/// eighth bit is set in all bytes but the last.
package enum RowEncoding {
    package enum Tag: UInt8 {
        case null, integer, real, text, blob
    }

    /// The bytes that were read are not in this encoding.
    package struct Unreadable: Error {}

    package static func append(_ value: ArchivedValue, to bytes: inout [UInt8]) {
        switch value {
        case .null: bytes.append(Tag.null.rawValue)
        case .integer(let value): append(value, to: &bytes)
        case .real(let value): append(value, to: &bytes)
        case .text(let text): text.withUnsafeBytes { append($0, as: .text, to: &bytes) }
        case .blob(let blob): blob.withUnsafeBytes { append($0, as: .blob, to: &bytes) }
        }
    }

    package static func append(_ value: Int64, to bytes: inout [UInt8]) {
        bytes.append(Tag.integer.rawValue)
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    package static func append(_ value: Double, to bytes: inout [UInt8]) {
        bytes.append(Tag.real.rawValue)
        withUnsafeBytes(of: value.bitPattern.littleEndian) { bytes.append(contentsOf: $0) }
    }

    /// Appends a part of a key. A whole number results in the same key whether SQLite returns it as an integer or as a
    /// real number. SQLite does not always return the type that the column stores.
    package static func appendKey(_ value: ArchivedValue, to bytes: inout [UInt8]) {
        if case .real(let value) = value { appendKey(value, to: &bytes) } else { append(value, to: &bytes) }
    }

    /// See ``appendKey(_:to:)-(ArchivedValue,_)``.
    package static func appendKey(_ value: Double, to bytes: inout [UInt8]) {
        if let whole = Int64(exactly: value) { append(whole, to: &bytes) } else { append(value, to: &bytes) }
    }

    package static func append(_ content: UnsafeRawBufferPointer, as tag: Tag, to bytes: inout [UInt8]) {
        bytes.append(tag.rawValue)
        append(length: content.count, to: &bytes)
        bytes.append(contentsOf: content)
    }

    static func append(length: Int, to bytes: inout [UInt8]) {
        var length = length
        while length >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: length) | 0x80)
            length >>= 7
        }
        bytes.append(UInt8(length))
    }

    /// Rows of `columns` values each. Throws ``Unreadable`` when `bytes` are not such rows.
    package static func rows(in bytes: [UInt8], columns: Int) throws(Unreadable) -> [[ArchivedValue]] {
        try rows(in: bytes, columns: columns, reading: value)
    }

    /// The same, of values that `value` reads.
    static func rows(
        in bytes: [UInt8], columns: Int,
        reading value: ([UInt8], inout Int) throws(Unreadable) -> ArchivedValue
    ) throws(Unreadable) -> [[ArchivedValue]] {
        guard columns > 0 else { throw Unreadable() }
        var position = 0
        var rows: [[ArchivedValue]] = []
        while position < bytes.count {
            var row: [ArchivedValue] = []
            row.reserveCapacity(columns)
            for _ in 0..<columns { row.append(try value(bytes, &position)) }
            rows.append(row)
        }
        return rows
    }

    private static func value(
        in bytes: [UInt8], at position: inout Int
    ) throws(Unreadable) -> ArchivedValue {
        let tag = Tag(rawValue: try byte(of: bytes, at: &position))
        switch tag {
        case .null: return .null
        case .integer: return .integer(Int64(bitPattern: try number(in: bytes, at: &position)))
        case .real: return .real(Double(bitPattern: try number(in: bytes, at: &position)))
        case .text, .blob:
            let length = try length(in: bytes, at: &position)
            let content = Array(try take(length, of: bytes, at: &position))
            return tag == .text ? .text(content) : .blob(content)
        case nil: throw Unreadable()
        }
    }

    private static func number(in bytes: [UInt8], at position: inout Int) throws(Unreadable) -> UInt64 {
        try take(8, of: bytes, at: &position).reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    static func length(in bytes: [UInt8], at position: inout Int) throws(Unreadable) -> Int {
        var length = 0
        for shift in stride(from: 0, to: 56, by: 7) {
            let byte = try byte(of: bytes, at: &position)
            length |= Int(byte & 0x7F) << shift
            if byte & 0x80 == 0 { return length }
        }
        throw Unreadable()
    }

    private static func byte(of bytes: [UInt8], at position: inout Int) throws(Unreadable) -> UInt8 {
        guard position < bytes.count else { throw Unreadable() }
        defer { position += 1 }
        return bytes[position]
    }

    static func take(
        _ count: Int, of bytes: [UInt8], at position: inout Int
    ) throws(Unreadable) -> ArraySlice<UInt8> {
        guard count <= bytes.count - position else { throw Unreadable() }
        defer { position += count }
        return bytes[position..<position + count]
    }
}
