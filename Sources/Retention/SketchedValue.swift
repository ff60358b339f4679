/// A value that was seen in a column.
package enum SketchedValue: Hashable, Sendable {
    case null
    case integer(Int64)
    case real(Double)
    /// The beginning of a text.
    case text(String)
    case blob

    /// Whether apps write the value for "no time": NULL, zero or an empty text.
    var isUnset: Bool {
        switch self {
        case .null, .integer(0), .real(0), .text(""): true
        case .integer, .real, .text, .blob: false
        }
    }
}
