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

    package init(integers: [Int64], fractions: [Int64] = [], dates: Int = 0, others: Int = 0) {
        self.integers = integers
        self.fractions = fractions
        self.dates = dates
        self.others = others
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

    /// How far the newest plausible time is from `now`, in seconds; nil if there is none, or if these are texts.
    fileprivate func distance(from now: Date, in format: TimeFormat) -> TimeInterval? {
        let range = format.plausible
        return numbers(in: format).filter(range.contains).max().map {
            abs(format.date(of: $0).timeIntervalSince(now))
        }
    }
}

/// Whether a sample of a time column fits the format of the rule.
package enum UnitDiagnosis: Equatable, Sendable {
    /// At least half of the values are plausible in the rule's format, or there are no values.
    case fits
    /// They are not. Has another format in which at least half are plausible; nil if there is none.
    case misfits(looksLike: TimeFormat?)
    /// They are plausible, but lie decades from now. In this other format they are recent.
    case isOff(looksLike: TimeFormat)

    /// Judges `sample`, taken at `now`, from a column that a rule reads in `format`.
    package init(of sample: TimeSample, in format: TimeFormat, at now: Date) {
        func fits(_ format: TimeFormat) -> Bool { 2 * sample.plausible(in: format) >= sample.count }
        let others = TimeFormat.all.filter { $0.unit != format.unit || $0.epoch != format.epoch }.filter(fits)
        guard fits(format) else {
            let best = others.max { a, b in
                let (few, many) = (sample.plausible(in: a), sample.plausible(in: b))
                guard few == many else { return few < many }
                return sample.distance(from: now, in: a) ?? 0 > sample.distance(from: now, in: b) ?? 0
            }
            self = .misfits(looksLike: best)
            return
        }
        // The ranges of the epochs overlap: from 2031 on, seconds since 2001 are also seconds since 1970.
        if let distance = sample.distance(from: now, in: format), distance > Self.farOff,
            let other = others.first(where: {
                $0.epoch != format.epoch && sample.distance(from: now, in: $0) ?? .infinity < Self.recent
            })
        {
            self = .isOff(looksLike: other)
        } else {
            self = .fits
        }
    }

    /// In seconds: twenty years. Epochs are at least thirty years apart.
    private static let farOff: TimeInterval = 20 * 365 * 86_400
    /// In seconds: two years.
    private static let recent: TimeInterval = 2 * 365 * 86_400
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
