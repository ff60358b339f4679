import FoundationEssentials

/// What makes a row expire.
package enum Expiry: Codable, Hashable, Sendable {
    /// The row expires when the time in `column` is older than `keep`.
    case age(column: String, keep: Span)
    /// The row expires when the time in `column` and then `grace` have passed.
    case deadline(column: String, grace: Span?)
    /// The row expires as soon as no keeper refers to it. It has no time.
    case orphan

    /// The column with the row's time; nil when only keepers decide.
    package var column: String? {
        switch self {
        case .age(let column, _), .deadline(let column, _): column
        case .orphan: nil
        }
    }

    /// The cutoff of a run that starts at `now`: a row has expired if its time is earlier. For orphans it is `now`.
    ///
    /// Rounded down to a whole second, so that the reported cutoff is the one that was applied.
    package func cutoff(at now: Date, in timeZone: Zone) -> Date {
        let exact =
            switch self {
            case .age(_, let keep): keep.before(now, in: timeZone)
            case .deadline(_, let grace): grace?.before(now, in: timeZone) ?? now
            case .orphan: now
            }
        return Date(timeIntervalSince1970: exact.timeIntervalSince1970.rounded(.down))
    }

    /// The first whole second at which a run treats a row with the time `time` as expired.
    ///
    /// Found by search, since months have different lengths. A row of January 31 that is kept for a month expires on
    /// March 1, because a month before that is February 1. But a month after January 31 is the last day of February.
    package func firstExpiry(of time: Date, in timeZone: Zone) -> Date {
        let about =
            switch self {
            case .age(_, let keep): keep.after(time, in: timeZone)
            case .deadline(_, let grace): grace?.after(time, in: timeZone) ?? time
            case .orphan: time
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

    /// In seconds. More than the error of counting a calendar unit forward instead of backward.
    private static let longestError: Int64 = 5 * 86_400
}

/// The values of a time column that count as expired in one run.
///
/// A row has expired when its value is a number with `plausible.lowerBound <= value < cutoff`. A row with a value
/// outside ``plausible`` is kept, since the value says nothing about time. A row exactly at the cutoff is kept.
package struct ExpiryWindow: Hashable, Sendable {
    /// The integers that can be times in the rule's format.
    package let plausible: ClosedRange<Int64>
    /// The first value that has not expired, in the rule's format.
    package let cutoff: Int64

    /// The window of a rule whose rows expire before `cutoff`, which must be a whole second.
    package init(cutoff: Date, _ format: TimeFormat) {
        plausible = format.plausible
        self.cutoff = format.value(ofSecond: Int64(cutoff.timeIntervalSince1970))
    }
}
