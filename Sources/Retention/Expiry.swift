import Foundation

/// What makes a row expire.
public enum Expiry: Hashable, Sendable {
    /// The row expires when the time in `column` is older than `keep`.
    case age(column: String, keep: Span)
    /// The row expires when the time in `column` has passed, and `grace` with it.
    case deadline(column: String, grace: Span?)

    /// The column that holds the row's time.
    public var column: String {
        switch self {
        case .age(let column, _), .deadline(let column, _): column
        }
    }

    /// The instant before which a row's time means that the row is expired, for a run that starts at `now`.
    ///
    /// Rounded down to the whole second, so that the cutoff that is reported is the one that was applied.
    public func cutoff(at now: Date, in timeZone: TimeZone) -> Date {
        let exact =
            switch self {
            case .age(_, let keep): keep.before(now, in: timeZone)
            case .deadline(_, let grace): grace?.before(now, in: timeZone) ?? now
            }
        return Date(timeIntervalSince1970: exact.timeIntervalSince1970.rounded(.down))
    }
}
