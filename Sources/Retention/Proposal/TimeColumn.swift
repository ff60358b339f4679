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
    /// one epoch lie ahead in another one. Of numbers that could be plain ones, and ids, the newest must be recent.
    private static func format(of seen: [SketchedValue], at now: Date) -> TimeFormat? {
        let plain = TimeFormat.all.filter { !$0.unit.isAmbiguous }
        let recent = TimeFormat.all.filter { $0.unit.isAmbiguous }.first {
            format([$0], of: seen, before: now.addingTimeInterval(soon)) != nil && isRecent($0, seen, at: now)
        }
        let first = format(plain, of: seen, before: now.addingTimeInterval(soon))
        if let first, recent == nil || isRecent(first, seen, at: now) { return first }
        return recent
            ?? format(
                plain.filter { $0.epoch == .unix }, of: seen, before: now.addingTimeInterval(10 * year))
    }

    private static func isRecent(_ format: TimeFormat, _ seen: [SketchedValue], at now: Date) -> Bool {
        seen.compactMap(format.date).max().map { now.timeIntervalSince($0) <= recent } ?? false
    }

    private static func format(
        _ formats: [TimeFormat], of seen: [SketchedValue], before end: Date
    ) -> TimeFormat? {
        // A real number is none of the units in integers, even without a fraction.
        let hasReals = seen.contains { if case .real = $0 { true } else { false } }
        return formats.first { format in
            guard
                (format.unit.storage == .real) == hasReals || format.unit.storage == .text
                    || format.unit == .julianDays
            else { return false }
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
        case (.integer, .integer(let number)): plausibleDate(number)
        case (.real, .integer(let number)): plausibleDate(whole(Double(number)))
        case (.integer, .real(let number)): plausibleDate(Int64(exactly: number.rounded(.down)))
        case (.real, .real(let number)): plausibleDate(whole(number))
        case (.text, .text(let text)): plausibleDate(TextTime.microseconds(text, as: unit, in: zone))
        case (.text, .integer(let number)) where unit == .dayDigits:
            plausibleDate(TextTime.microseconds("\(number)", as: unit, in: zone))
        default: nil
        }
    }

    private func plausibleDate(_ value: Int64?) -> Date? {
        value.flatMap { plausible.contains($0) ? date(of: $0) : nil }
    }
}
