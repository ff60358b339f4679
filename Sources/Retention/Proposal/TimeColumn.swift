import FoundationEssentials

/// Whether the values of a column are times by which a rule could judge: plausible, many different, the newest recent.
///
/// Values alone prove nothing: ids, phone numbers and prices lie in the same ranges. A person decides.
package enum TimeColumn: Equatable, Sendable {
    /// Times, the newest of which are recent. `isAhead`: some of them are still to come, as those at which rows end.
    case time(TimeFormat, isAhead: Bool, oldest: Date, newest: Date)
    /// The key: its values could be times, usually of arrival.
    case key(TimeFormat)
    /// Times, but none of the last year.
    case stale(TimeFormat, newest: Date)
    /// Times in a format that no rule can read.
    case unread(UnreadFormat)
    /// No times.
    case none

    package init(_ column: ColumnSketch, at now: Date) {
        let seen = column.values.filter { !$0.isUnset }
        let isVaried = column.type.isTime || Set(seen).count > Self.fewValues
        guard column.refersTo == nil, isVaried, !seen.isEmpty else {
            self = .none
            return
        }
        let known = column.type.mayBeTime ? column.type.timeFormat ?? Self.format(of: seen, at: now) : nil
        guard let format = known else {
            let unread = column.isKey ? nil : UnreadFormat(of: seen, at: now)
            self = unread.map { .unread($0) } ?? .none
            return
        }
        let dates = seen.compactMap { format.date(of: $0) }.filter { $0 >= Self.start }
        guard let oldest = dates.min(), let newest = dates.max() else {
            self = .none
            return
        }
        let soon = now.addingTimeInterval(Self.soon)
        let ahead = dates.count { $0 > soon }
        // A partitioned table has its time in the key.
        if column.isKey, !column.type.isTime {
            self = .key(format)
        } else if now.timeIntervalSince(newest) > Self.recent {
            self = .stale(format, newest: newest)
        } else {
            self = .time(
                format, isAhead: Double(ahead) > (1 - Self.nearlyAll) * Double(dates.count), oldest: oldest,
                newest: newest)
        }
    }

    /// The first format in which nearly all values are times between 2005 and soon, or else in ten years. Old times of
    /// one epoch lie ahead in another one.
    private static func format(of seen: [SketchedValue], at now: Date) -> TimeFormat? {
        format(TimeFormat.all, of: seen, before: now.addingTimeInterval(soon))
            ?? format(
                TimeFormat.all.filter { $0.epoch == .unix }, of: seen,
                before: now.addingTimeInterval(10 * year))
    }

    private static func format(
        _ formats: [TimeFormat], of seen: [SketchedValue], before end: Date
    ) -> TimeFormat? {
        // A real number is none of the units in integers, even without a fraction.
        let hasReals = seen.contains { if case .real = $0 { true } else { false } }
        return formats.first { format in
            guard (format.unit == .realSeconds) == hasReals || format.unit.storage == .text else {
                return false
            }
            let fitting = seen.count { value in
                format.date(of: value).map { (start...end).contains($0) } ?? false
            }
            return Double(fitting) >= nearlyAll * Double(seen.count)
        }
    }

    /// 2005-01-01: stored times before that are rare, and small numbers are not.
    private static let start = Date(timeIntervalSince1970: 1_104_537_600)
    private static let year: TimeInterval = 366 * 86_400
    private static let recent = year
    private static let soon: TimeInterval = 2 * 86_400
    private static let fewValues = 20
    private static let nearlyAll = 0.95
}

extension TimeFormat {
    /// The instant of a value that was seen; nil if it is none in this format.
    func date(of value: SketchedValue) -> Date? {
        switch (unit.storage, value) {
        case (.integer, .integer(let number)), (.real, .integer(let number)):
            return plausible.contains(number) ? date(of: number) : nil
        case (.integer, .real(let number)), (.real, .real(let number)):
            guard let whole = Int64(exactly: number.rounded(.down)), plausible.contains(whole) else {
                return nil
            }
            return date(of: whole)
        case (.text, .text(let text)):
            var copy = text
            let micros = copy.withUTF8 { TextTime.microseconds(UnsafeRawBufferPointer($0), in: zone) }
            return micros.map { Date(timeIntervalSince1970: Double($0) / 1_000_000) }
        default: return nil
        }
    }
}
