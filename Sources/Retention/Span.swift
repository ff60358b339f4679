import FoundationEssentials

/// A length of time as people write it: `30d`, `1d 12h`, `6month`.
///
/// Days and longer units are calendar units: "30d" before noon is noon 30 days earlier, whatever clock changes lie
/// between. If a clock change skipped or repeated that time of day, the earliest possible instant is used. A month
/// before March 31 is the last day of February. Shorter units have a fixed length. A span is longer than zero and at
/// most ``longestYears`` years.
package struct Span: Codable, Hashable, Sendable {
    /// The units a span may be written in, longest first.
    package enum Unit: String, Codable, CaseIterable, Sendable {
        case year = "y"
        case month
        case week = "w"
        case day = "d"
        case hour = "h"
        case minute = "min"
        case second = "s"
        case millisecond = "ms"

        /// An upper bound of the unit's length, for overflow checks and for sorting.
        var longestMilliseconds: Int64 {
            switch self {
            case .year: 366 * 86_400_000
            case .month: 31 * 86_400_000
            case .week: 7 * 86_400_000
            case .day: 86_400_000
            case .hour: 3_600_000
            case .minute: 60_000
            case .second: 1_000
            case .millisecond: 1
            }
        }
    }

    /// The longest span that is accepted. Rows that should stay longer need no rule.
    package static let longestYears: Int64 = 1_000

    let amounts: [Unit: Int64]

    /// A span of one unit. `amount` must be within the bounds of ``init(parsing:)``.
    package init(_ amount: Int64, _ unit: Unit) {
        precondition(amount > 0, "a span is longer than zero")
        amounts = [unit: amount]
    }

    /// Parses `<integer><unit>` parts, each unit at most once: `"1d 12h"`.
    package init(parsing text: String) throws(SpanError) {
        var amounts: [Unit: Int64] = [:]
        var rest = Substring(text).drop(while: \.isWhitespace)
        guard !rest.isEmpty else { throw .empty }
        while !rest.isEmpty {
            let (amount, unit) = try Self.takePart(from: &rest)
            guard amounts.updateValue(amount, forKey: unit) == nil else { throw .repeatedUnit(unit) }
        }
        guard amounts.values.contains(where: { $0 > 0 }) else { throw .zero }
        let longest = Self.longestYears * Unit.year.longestMilliseconds
        var total: Int64 = 0
        for (unit, amount) in amounts {
            let (part, overflow) = amount.multipliedReportingOverflow(by: unit.longestMilliseconds)
            guard !overflow, part <= longest else { throw .tooLong }
            total += part
        }
        guard total <= longest else { throw .tooLong }
        self.amounts = amounts.filter { $0.value > 0 }
    }

    private static func takePart(from rest: inout Substring) throws(SpanError) -> (Int64, Unit) {
        guard rest.first != "-" else { throw .negative }
        let digits = rest.prefix { $0.isASCII && $0.isNumber }
        guard !digits.isEmpty else { throw .notANumber(String(rest)) }
        rest = rest.dropFirst(digits.count)
        let letters = rest.prefix { $0.isLetter }
        rest = rest.dropFirst(letters.count)
        guard rest.first.map({ $0.isWhitespace || ($0.isASCII && $0.isNumber) }) ?? true else {
            throw .notANumber(String(rest))
        }
        rest = rest.drop(while: \.isWhitespace)
        guard !letters.isEmpty else { throw .noUnit(String(digits)) }
        guard let unit = Unit(rawValue: String(letters)) else { throw .unknownUnit(String(letters)) }
        guard let amount = Int64(digits) else { throw .tooLong }
        return (amount, unit)
    }

    /// The instant this span before `date`, on the calendar of `timeZone`.
    package func before(_ date: Date, in timeZone: Zone) -> Date {
        moved(date, by: -1, in: timeZone)
    }

    /// The instant this span after `date`, on the calendar of `timeZone`.
    package func after(_ date: Date, in timeZone: Zone) -> Date {
        moved(date, by: 1, in: timeZone)
    }

    private func moved(_ date: Date, by sign: Int, in timeZone: Zone) -> Date {
        let fixed = [Unit.hour, .minute, .second, .millisecond].reduce(Int64(0)) {
            $0 + (amounts[$1] ?? 0) * $1.longestMilliseconds
        }
        return movedOnCalendar(date, by: sign, in: timeZone)
            .addingTimeInterval(Double(sign) * Double(fixed) / 1_000)
    }

    private func movedOnCalendar(_ date: Date, by sign: Int, in timeZone: Zone) -> Date {
        guard [Unit.year, .month, .week, .day].contains(where: { amounts[$0] != nil }) else { return date }
        let amount = { (unit: Unit) in Int64(sign) * (amounts[unit] ?? 0) }
        // Computed with the wall clock time. If the clock shows the target time twice, the earlier instant is used,
        // because a later cutoff deletes more.
        var reading = WallClock(at: date, in: timeZone)
        let month = reading.date.adding(months: amount(.year) * 12).adding(months: amount(.month))
        reading.date = CivilDate(daysSince1970: month.daysSince1970 + amount(.week) * 7 + amount(.day))
        return reading.earliestInstant(in: timeZone)
    }

    /// The span's length in seconds, with each calendar unit at its longest. For comparison only, never to judge a row.
    package var approximateSeconds: Double {
        amounts.reduce(0) { $0 + Double($1.value) * Double($1.key.longestMilliseconds) / 1_000 }
    }
}

extension Span: CustomStringConvertible {
    /// The span in the format of a configuration file, longest unit first.
    package var description: String {
        Unit.allCases.compactMap { unit in amounts[unit].map { "\($0)\(unit.rawValue)" } }
            .joined(separator: " ")
    }
}

/// Why a text is not a ``Span``.
package enum SpanError: Error, Equatable, Sendable {
    case empty
    case zero
    case negative
    case tooLong
    case noUnit(String)
    case unknownUnit(String)
    case repeatedUnit(Span.Unit)
    case notANumber(String)

    /// What is wrong, without repeating the value.
    package var reason: String {
        switch self {
        case .empty: "the span is empty"
        case .zero: "a span must be longer than zero"
        case .negative: "a span cannot be negative"
        case .tooLong: "the span is longer than \(Span.longestYears) years"
        case .noUnit: "the number has no unit"
        case .unknownUnit(let unit): "\"\(unit)\" is not a unit of time"
        case .repeatedUnit(let unit): "the unit \"\(unit.rawValue)\" occurs twice"
        case .notANumber(let text): "\"\(text)\" does not begin with a whole number"
        }
    }

    /// What to write instead.
    package var hint: String {
        switch self {
        case .noUnit(let digits): "say which unit: \"\(digits)d\" is \(digits) days"
        case .unknownUnit("m"): "write \"min\" for minutes or \"month\" for months"
        case .tooLong: "to keep rows forever, leave the rule out"
        case .empty, .zero, .negative, .unknownUnit, .repeatedUnit, .notANumber:
            "write whole numbers with units, such as \"30d\" or \"1d 12h\"; units are "
                + Span.Unit.allCases.reversed().map(\.rawValue).joined(separator: " ")
        }
    }
}
