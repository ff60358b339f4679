import FoundationEssentials

/// What makes a row expire.
package enum Expiry: Hashable, Sendable {
    /// The row expires when the time in `column` is older than `keep`.
    case age(column: String, keep: Span)
    /// The row expires when the time in `column` has passed, and `grace` with it.
    case deadline(column: String, grace: Span?)

    /// The column that holds the row's time.
    package var column: String {
        switch self {
        case .age(let column, _), .deadline(let column, _): column
        }
    }

    /// The instant before which a row's time means that the row is expired, for a run that starts at `now`.
    ///
    /// Rounded down to the whole second, so that the cutoff that is reported is the one that was applied.
    package func cutoff(at now: Date, in timeZone: Zone) -> Date {
        let exact =
            switch self {
            case .age(_, let keep): keep.before(now, in: timeZone)
            case .deadline(_, let grace): grace?.before(now, in: timeZone) ?? now
            }
        return Date(timeIntervalSince1970: exact.timeIntervalSince1970.rounded(.down))
    }

    /// The first whole second at which a run takes a row for expired whose time is `time`.
    ///
    /// Searched for, because months differ: a month before March 1 is February 1, and so is nothing that is a month
    /// after January 31.
    package func firstExpiry(of time: Date, in timeZone: Zone) -> Date {
        let about =
            switch self {
            case .age(_, let keep): keep.after(time, in: timeZone)
            case .deadline(_, let grace): grace?.after(time, in: timeZone) ?? time
            }
        let middle = Int64(about.timeIntervalSince1970.rounded(.down))
        var (tooEarly, late) = (middle - Self.longestError, middle + Self.longestError)
        while late - tooEarly > 1 {
            let tried = (tooEarly + late) / 2
            let isExpired = cutoff(at: Date(timeIntervalSince1970: TimeInterval(tried)), in: timeZone) > time
            if isExpired { late = tried } else { tooEarly = tried }
        }
        return Date(timeIntervalSince1970: TimeInterval(late))
    }

    /// In seconds, more than by what a calendar unit differs when counted forth and back.
    private static let longestError: Int64 = 5 * 86_400
}

/// The values of a time column that mean "expired", for one run.
///
/// A row is expired when its value is an integer with `plausible.lowerBound <= value < cutoff`; a value outside
/// ``plausible`` says nothing about time and keeps its row. A row exactly at the cutoff is kept.
package struct ExpiryWindow: Hashable, Sendable {
    /// The integers that can be times in the rule's unit.
    package let plausible: ClosedRange<Int64>
    /// The first value that is not expired, in the rule's unit.
    package let cutoff: Int64

    /// The window of a rule whose rows expire before `cutoff`, a whole second.
    package init(cutoff: Date, unit: TimeUnit) {
        plausible = unit.plausible
        self.cutoff = unit.value(ofSecond: Int64(cutoff.timeIntervalSince1970))
    }
}
