import TOMLKit

extension [String] {
    /// The keys as a TOML key path.
    var dotted: String { map(\.key).joined(separator: ".") }
}

extension TOMLValueConvertible {
    /// The value as a file would write it; what may be long or nested, in outline.
    var written: String {
        switch type {
        case .table: "{…}"
        case .array: "[…]"
        case .string: (string ?? "").quoted
        default: debugDescription
        }
    }
}

extension TOMLValueConvertible {
    /// The value as a file would write it.
    var writtenInFull: String {
        guard let array else { return written }
        return "[" + array.map(\.written).joined(separator: ", ") + "]"
    }
}

extension TOMLType {
    /// The type with its article.
    var named: String {
        switch self {
        case .array, .int: "an \(self)"
        default: "a \(self)"
        }
    }
}
