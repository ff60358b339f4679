/// A value of an archived row. A text is its bytes, which need not be UTF-8 and may contain NULs. Of a store that writes every
/// value as a text, values are texts or NULL.
package enum ArchivedValue: Hashable, Sendable {
    case null
    case integer(Int64)
    case real(Double)
    case text([UInt8])
    case blob([UInt8])

    /// The bytes of a text or a blob; nil for anything else.
    package var bytes: [UInt8]? {
        switch self {
        case .text(let bytes), .blob(let bytes): bytes
        case .null, .integer, .real: nil
        }
    }
}
