/// What the type of a column says of all its values.
package enum ColumnType: Equatable, Sendable {
    /// Each value has a type of its own, as in SQLite.
    case any
    case boolean
    case number
    case text
    /// An instant.
    case instant
    /// A date, perhaps with a time of day, in a zone that only the app knows.
    case local
    /// Anything else.
    case other

    /// Whether every value is a time.
    package var isTime: Bool { self == .instant || self == .local }

    /// How a rule says what a column of times has; nil for one of other values.
    var timeFormat: TimeFormat? {
        switch self {
        case .instant: TimeFormat()
        case .local: TimeFormat(zone: .gmt)
        case .any, .boolean, .number, .text, .other: nil
        }
    }

    /// Whether its values can be times at all.
    var mayBeTime: Bool { self == .any || self == .number || isTime }
}
