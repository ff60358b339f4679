import FoundationEssentials

/// A way to store times that pruned knows by name and does not read.
///
/// It is recognized only where that is sure: nearly all values are times in it, and the newest is of the last year.
package enum UnreadFormat: String, CaseIterable, Sendable {
    case tenThousandths, sinceYear2000, sinceYear1904, secondDigits, minuteDigits, spreadsheetDays
    case mailText, compactText, reorderedText, numberText

    /// The format in words, to follow "this looks like".
    package var words: String {
        switch self {
        case .tenThousandths: "ten-thousandths of a second since 1970"
        case .sinceYear2000: "microseconds since 2000 (PostgreSQL's own)"
        case .sinceYear1904: "seconds since 1904"
        case .secondDigits: "dates in digits (YYYYMMDDhhmmss)"
        case .minuteDigits: "dates in digits (YYYYMMDDhhmm)"
        case .spreadsheetDays: "days since 1899-12-30, as spreadsheets count them"
        case .mailText: "dates in English words"
        case .compactText: "dates as text without separators (YYYYMMDDThhmmss)"
        case .reorderedText: "dates as text in the order of a country (dd.mm.yyyy, mm/dd/yyyy)"
        case .numberText: "numbers as text"
        }
    }

    /// The format of the values of `sample`, taken at `now`; nil if it is not surely one of these.
    package init?(of sample: TimeSample, at now: Date) {
        guard let format = Self.allCases.first(where: { $0.fits(sample, at: now) }) else { return nil }
        self = format
    }

    /// The format of `values` of a column, seen at `now`; nil if it is not surely one of these.
    package init?(of values: [SketchedValue], at now: Date) { self.init(of: TimeSample(values), at: now) }

    private func fits(_ sample: TimeSample, at now: Date) -> Bool {
        let times: [Date]
        switch self {
        case .mailText, .compactText, .reorderedText, .numberText:
            return Self.isMost(sample.texts.count(where: isText), of: sample.texts.count)
                && Self.isMost(sample.texts.count, of: sample.count)
        case .spreadsheetDays:
            times = (sample.integers + sample.fractions.compactMap { Int64(exactly: $0.rounded(.down)) })
                .compactMap(date)
        default: times = sample.integers.compactMap(date)
        }
        let earliest = Date(timeIntervalSince1970: 946_684_800)
        let plausible = times.filter { $0 >= earliest && $0.timeIntervalSince(now) < Self.ahead }
        guard Self.isMost(plausible.count, of: sample.count), let newest = plausible.max() else {
            return false
        }
        return now.timeIntervalSince(newest) < TimeSample.recent
    }

    private static func isMost(_ count: Int, of all: Int) -> Bool { all > 0 && count * 10 >= all * 9 }

    /// In seconds: two days.
    private static let ahead: TimeInterval = 2 * 86_400
}

/// Numbers.
extension UnreadFormat {
    /// The instant that `value` means; nil if it is none, as a date with a thirteenth month.
    private func date(of value: Int64) -> Date? {
        func scaled(_ perSecond: Double, from epoch: Double) -> Date {
            Date(timeIntervalSince1970: Double(value) / perSecond + epoch)
        }
        return switch self {
        case .tenThousandths: scaled(1e4, from: 0)
        case .sinceYear2000: scaled(1e6, from: 946_684_800)
        case .sinceYear1904: scaled(1, from: -2_082_844_800)
        case .secondDigits: Self.date(inDigits: value, daysIn: 1_000_000)
        case .minuteDigits: Self.date(inDigits: value, daysIn: 10_000)
        case .spreadsheetDays: scaled(1 / 86_400, from: -25_569 * 86_400)
        case .mailText, .compactText, .reorderedText, .numberText: nil
        }
    }

    /// The start of the day whose number YYYYMMDD stands before as many digits as `daysIn` has zeros.
    private static func date(inDigits value: Int64, daysIn divisor: Int64) -> Date? {
        let number = value / divisor
        let day = CivilDate(
            year: number / 10_000, month: Int(number / 100 % 100), day: Int(number % 100))
        guard (1_000...9_999).contains(day.year), day.exists else { return nil }
        return Date(timeIntervalSince1970: Double(day.daysSince1970) * 86_400)
    }
}

/// Texts.
extension UnreadFormat {
    /// Whether `text` is a time in this format.
    private func isText(_ text: String) -> Bool {
        let words = text.split(whereSeparator: { $0 == " " || $0 == "," })
        switch self {
        case .mailText:
            // The weekday may be missing; C's ctime has the year at the end.
            guard let month = words.firstIndex(where: Self.months.contains), (1...2).contains(month),
                words.contains(where: Self.isTimeOfDay)
            else { return false }
            return words.contains { $0.count == 4 && Self.isDigits($0) }
        case .compactText:
            guard
                let first = text.split(separator: "T", maxSplits: 1, omittingEmptySubsequences: false).first,
                first.count == 8, let number = Int64(first), Self.date(inDigits: number, daysIn: 1) != nil
            else { return false }
            return text.dropFirst(9).allSatisfy { $0.isNumber || "+-Z.:".contains($0) } && text.count >= 13
        case .reorderedText:
            let parts = (words.first ?? "").split(
                whereSeparator: { ".-/".contains($0) })
            guard parts.count == 3, parts.allSatisfy(Self.isDigits), parts[2].count == 4 else { return false }
            return parts.prefix(2).allSatisfy { (1...31).contains(Int($0) ?? 0) }
        case .numberText:
            return Int64(text.prefix { $0 != "." }) != nil && Double(text) != nil
        default: return false
        }
    }

    private static let months: Set<Substring> = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    private static func isDigits(_ text: Substring) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }

    private static func isTimeOfDay(_ text: Substring) -> Bool {
        let parts = text.split(separator: ":")
        return (2...3).contains(parts.count) && parts.allSatisfy { $0.count == 2 && isDigits($0) }
    }
}
