import FoundationEssentials

/// The values of a time column in some rows, without NULL. NULL says nothing about the time or the unit, and a column
/// may be NULL in most rows by design.
package struct TimeSample: Equatable, Sendable {
    /// The integer values, in any order.
    package let integers: [Int64]
    /// The numbers with a fraction, rounded down.
    package let fractions: [Int64]
    /// The number of texts that are times in ``TimeUnit/iso8601``.
    package let dates: Int
    /// The number of other values.
    package let others: Int
    /// The beginnings of the texts among these.
    package let texts: [String]

    package init(
        integers: [Int64], fractions: [Int64] = [], dates: Int = 0, others: Int = 0, texts: [String] = []
    ) {
        self.integers = integers
        self.fractions = fractions
        self.dates = dates
        self.others = others
        self.texts = texts
    }

    /// Of numbers that a server writes as texts.
    package init(numbers texts: some Sequence<String>) {
        var (integers, fractions, others): ([Int64], [Int64], Int) = ([], [], 0)
        for text in texts {
            if let number = Int64(text) {
                integers.append(number)
            } else if let number = Double(text), abs(number) < 9e18 {
                fractions.append(Int64(number.rounded(.down)))
            } else {
                others += 1
            }
        }
        self.init(integers: integers, fractions: fractions, others: others)
    }

    /// The values of `values` that are set.
    init(_ values: [SketchedValue]) {
        var (integers, fractions, texts): ([Int64], [Int64], [String]) = ([], [], [])
        var (dates, others) = (0, 0)
        for value in values where !value.isUnset {
            switch value {
            case .integer(let number): integers.append(number)
            case .real(let number):
                if let whole = Int64(exactly: number.rounded(.down)) {
                    fractions.append(whole)
                } else {
                    others += 1
                }
            case .text(let text):
                if TimeFormat(.iso8601).date(of: value) != nil { dates += 1 } else { texts.append(text) }
            default: others += 1
            }
        }
        self.init(
            integers: integers, fractions: fractions, dates: dates, others: others + texts.count, texts: texts
        )
    }

    /// The number of all values.
    package var count: Int { integers.count + fractions.count + dates + others }

    /// How many of the values are plausible times in `format`.
    package func plausible(in format: TimeFormat) -> Int {
        if case .text = format.unit.storage { return dates }
        let range = format.plausible
        return numbers(in: format).count { range.contains($0) }
    }

    private func numbers(in format: TimeFormat) -> [Int64] {
        switch format.unit.storage {
        case .integer: integers
        case .real: integers + fractions
        case .text: []
        }
    }

    /// The newest plausible time in `format`, after ``ClockEvidence/strays`` are left out; nil if there is none, or if
    /// these are texts.
    package func newest(in format: TimeFormat) -> Date? {
        let range = format.plausible
        return ClockEvidence.newest(
            of: numbers(in: format).filter(range.contains).map(format.date(of:)))
    }

    /// In seconds: a year. A format whose newest time is older, or ahead, may be another one misread.
    static let recent: TimeInterval = 366 * 86_400
}

extension TimeFormat {
    /// All formats. Unix time comes first, and integers come before real numbers.
    package static let all: [TimeFormat] = Epoch.allCases.flatMap { epoch in
        TimeUnit.allCases.map { TimeFormat($0, since: epoch) }
    }.filter { $0.isRepresentable && ($0.epoch == .unix || $0.unit.storage != .text) }

    /// The format as settings of a rule: `unit = "ms"`, with the epoch if it is not Unix's.
    package var settings: String {
        "unit = \"\(unit.rawValue)\"" + (epoch == .unix ? "" : ", epoch = \"\(epoch.rawValue)\"")
    }

    /// The format in words: `milliseconds`, `seconds since 2001`.
    package var words: String {
        let name =
            switch unit {
            case .seconds: "seconds"
            case .milliseconds: "milliseconds"
            case .microseconds: "microseconds"
            case .nanoseconds: "nanoseconds"
            case .realSeconds: "seconds with a fraction"
            case .iso8601: "dates as text"
            }
        return switch epoch {
        case .unix: name
        case .coreData: name + " since 2001"
        case .chromium: name + " since 1601"
        }
    }
}
