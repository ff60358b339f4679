import TerminalText

/// What makes a column one that may say which rows matter, by its values alone.
package enum ColumnFlag: Equatable, Sendable {
    /// It has few different values.
    case values
    /// Some rows have a value, and others NULL, 0 or an empty text.
    case presence(unset: SketchedValue)

    /// A flag has no more different values than a person can decide on.
    package static let mostValues = 8
}

extension ColumnSketch {
    /// Nil if the column is no flag: a key, a reference, or one with many values in each row.
    package var flag: ColumnFlag? {
        guard !isKey, refersTo == nil, type != .other, !values.isEmpty else { return nil }
        let different = Set(values)
        guard !different.contains(.blob) else { return nil }
        if different.count <= ColumnFlag.mostValues { return .values }
        let unset = different.filter(\.isUnset)
        guard let first = unset.first(where: { $0 != .null }) ?? unset.first else { return nil }
        return .presence(unset: first)
    }
}

extension SketchedValue {
    /// The value as SQL; nil for a blob.
    package var sql: String? {
        switch self {
        case .null: "NULL"
        case .integer(let number): "\(number)"
        case .real(let number): "\(number)"
        case .text(let text): text.quoted("'")
        case .blob: nil
        }
    }
}
