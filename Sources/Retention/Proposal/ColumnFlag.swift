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
