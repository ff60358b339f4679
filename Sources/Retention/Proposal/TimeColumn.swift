import FoundationEssentials

/// Whether the values of a column are times by which a rule could judge.
///
/// Values alone prove nothing: ids, phone numbers and prices lie in the same ranges. So the name must say it, too.
package enum TimeColumn: Equatable, Sendable {
    /// Times, the newest of which are recent.
    case time(TimeFormat, isDeadline: Bool, oldest: Date, newest: Date)
    /// The key: its values are times, usually of arrival.
    case key(TimeFormat)
    /// The values could be times, but the name does not say so.
    case unnamed(TimeFormat)
    /// Times, but none of the last year.
    case stale(TimeFormat, newest: Date)
    /// The name says so, and too few different values to prove it.
    case unproven
    /// No times.
    case none

    package init(_ column: ColumnSketch, at now: Date) {
        let hint = NameWords(column.name).time
        let seen = column.values.filter { !$0.isUnset }
        guard column.refersTo == nil, !seen.isEmpty, column.type.mayBeTime,
            let format = column.type.timeFormat
                ?? Self.format(of: seen, isDeadline: hint == .deadline, at: now)
        else {
            self = .none
            return
        }
        let dates = seen.compactMap { format.date(of: $0) }.filter { $0 >= Self.start }
        guard column.type.isTime || Set(seen).count > Self.fewValues, let oldest = dates.min(),
            let newest = dates.max()
        else {
            self = hint == nil || column.isKey ? .none : .unproven
            return
        }
        // A partitioned table has its time in the key.
        if column.isKey, !column.type.isTime {
            self = .key(format)
        } else if hint == nil, !column.type.isTime {
            self = .unnamed(format)
        } else if now.timeIntervalSince(newest) > Self.recent {
            self = .stale(format, newest: newest)
        } else {
            self = .time(format, isDeadline: hint == .deadline, oldest: oldest, newest: newest)
        }
    }

    /// Whether each value that is set is a time, whatever the column's name: no word and no number stands for "never".
    static func areTimes(_ values: [SketchedValue], at now: Date) -> Bool {
        let seen = values.filter { !$0.isUnset }
        guard !seen.isEmpty, let format = format(of: seen, isDeadline: false, at: now) else { return false }
        return seen.allSatisfy { value in format.date(of: value).map { $0 >= start } ?? false }
    }

    /// The first format in which nearly all values are times between 2005 and soon.
    private static func format(of seen: [SketchedValue], isDeadline: Bool, at now: Date) -> TimeFormat? {
        let end = now.addingTimeInterval(isDeadline ? 50 * year : 2 * 86_400)
        // A real number is none of the units in integers, even without a fraction.
        let hasReals = seen.contains { if case .real = $0 { true } else { false } }
        return TimeFormat.all.first { format in
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
