import FoundationEssentials

/// The values of a time column in some rows, without NULL. NULL says nothing about the time or the unit, and a column
/// may be NULL in most rows by design.
package struct TimeSample: Equatable, Sendable {
    /// The integer values, in any order.
    package let integers: [Int64]
    /// The numbers with a fraction.
    package let fractions: [Double]
    /// The number of texts that are times in ``TimeUnit/iso8601``.
    package let dates: Int
    /// The number of other values.
    package let others: Int
    /// The beginnings of the texts among these.
    package let texts: [String]

    package init(
        integers: [Int64], fractions: [Double] = [], dates: Int = 0, others: Int = 0, texts: [String] = []
    ) {
        self.integers = integers
        self.fractions = fractions
        self.dates = dates
        self.others = others
        self.texts = texts
    }

    /// Of numbers that a server writes as texts.
    package init(numbers texts: some Sequence<String>) {
        var (integers, fractions, others): ([Int64], [Double], Int) = ([], [], 0)
        for text in texts {
            if let number = Int64(text) {
                integers.append(number)
            } else if let number = Double(text), abs(number) < 9e18 {
                fractions.append(number)
            } else {
                others += 1
            }
        }
        self.init(integers: integers, fractions: fractions, others: others)
    }

    /// The values of `values` that are set.
    init(_ values: [SketchedValue]) {
        var (integers, fractions, texts): ([Int64], [Double], [String]) = ([], [], [])
        var (dates, others) = (0, 0)
        for value in values where !value.isUnset {
            switch value {
            case .integer(let number): integers.append(number)
            case .real(let number):
                if abs(number) < 9e18 { fractions.append(number) } else { others += 1 }
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
        format.unit == .iso8601 ? dates : times(in: format).count
    }

    /// The values that are plausible times in `format`, as it counts them.
    private func times(in format: TimeFormat) -> [Int64] {
        let range = format.plausible
        let values: [Int64?] =
            switch format.unit.storage {
            case .integer: integers
            case .real: integers.map { format.whole(Double($0)) } + fractions.map(format.whole)
            case .text:
                (texts + (format.unit == .dayDigits ? integers.map { "\($0)" } : [])).map {
                    TextTime.microseconds($0, as: format.unit, in: format.zone)
                }
            }
        return values.compactMap(\.self).filter(range.contains)
    }

    /// The newest plausible time in `format`, after ``ClockEvidence/strays`` are left out; nil if there is none, or if
    /// these are texts in ISO 8601.
    package func newest(in format: TimeFormat) -> Date? {
        ClockEvidence.newest(of: times(in: format).map(format.date(of:)))
    }

    /// In seconds: a year. A format whose newest time is older, or ahead, may be another one misread.
    static let recent: TimeInterval = 366 * 86_400
}

extension TimeFormat {
    /// All formats that values are taken for. Unix time comes first, integers come before real numbers, and last those for
    /// which more must speak.
    package static let all: [TimeFormat] = {
        let known = Epoch.allCases.flatMap { epoch in
            TimeUnit.allCases.filter { $0.epochs.contains(epoch) }.map { TimeFormat($0, since: epoch) }
        }.filter(\.isRepresentable)
        // Nobody counts small units from far away, or others than ticks from the year 1.
        let likely = known.filter { $0.epoch == .unix || $0.unit.seconds == 1 }
            .filter { $0.epoch != .dotnet || $0.unit == .ticks }
        return likely.filter { !$0.unit.isAmbiguous } + likely.filter(\.unit.isAmbiguous)
    }()

    /// The epoch, if it must be said.
    package var saidEpoch: Epoch? { unit == .snowflake || epoch != unit.epochs[0] ? epoch : nil }

    /// The format as settings of a rule: `unit = "ms"`, with the epoch if it is not the unit's own.
    package var settings: String {
        "unit = \"\(unit.rawValue)\"" + (saidEpoch.map { ", epoch = \"\($0.rawValue)\"" } ?? "")
    }

    /// The format in words: `milliseconds`, `seconds since 2001`.
    package var words: String {
        let year =
            switch epoch {
            case .coreData: "2001"
            case .chromium: "1601"
            case .dotnet: "the year 1"
            default: "1970"
            }
        let name =
            switch unit {
            case .seconds: "seconds"
            case .milliseconds: "milliseconds"
            case .microseconds: "microseconds"
            case .nanoseconds: "nanoseconds"
            case .minutes: "minutes since \(year)"
            case .hours: "hours since \(year)"
            case .days: "days since \(year)"
            case .ticks: epoch == .dotnet ? ".NET ticks" : "tenths of a microsecond"
            case .fileTime: "FILETIME"
            case .snowflake: epoch == .discord ? "Discord's ids" : "Twitter's ids"
            case .realSeconds: "seconds with a fraction"
            case .julianDays: "julian days"
            case .iso8601: "dates as text"
            case .dayDigits: "dates in digits"
            case .rfc2822: "dates as in mail and feeds"
            case .goText: "the text of Go's time.String"
            case .numberText: "seconds as text"
            case .uuid7: "UUIDs of version 7"
            case .ulid: "ULIDs"
            }
        let saysYear = epoch != .unix && unit.seconds == 1 && unit.epochs.contains(.coreData)
        return saysYear ? "\(name) since \(year)" : name
    }
}
