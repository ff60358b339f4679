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

/// Whether a sample of a time column fits the format of the rule.
package enum UnitDiagnosis: Equatable, Sendable {
    /// At least half of the values are plausible in the rule's format, or there are no values.
    case fits
    /// They are not. Has another format in which at least half are plausible, and the newest is of the last year; nil if
    /// there is none.
    case misfits(looksLike: TimeFormat?)
    /// They are plausible, but lie decades from now. In this other format they are recent.
    case isOff(looksLike: TimeFormat)
    /// They are times in this format, which no rule can read.
    case isUnread(UnreadFormat)

    /// Judges `sample`, taken at `now`, from a column that a rule reads in `format`. In a column with deadlines, the newest
    /// may lie ahead by a year.
    package init(
        of sample: TimeSample, in format: TimeFormat, areDeadlines: Bool = false, at now: Date
    ) {
        func fits(_ format: TimeFormat) -> Bool { 2 * sample.plausible(in: format) >= sample.count }
        /// Texts in ISO 8601 mean only one thing, whatever their time is.
        func isSure(_ format: TimeFormat) -> Bool {
            guard format.unit.storage != .text else { return true }
            guard let age = sample.newest(in: format).map(now.timeIntervalSince) else { return false }
            return age <= TimeSample.recent && age >= -(areDeadlines ? TimeSample.recent : Self.ahead)
        }
        let others = TimeFormat.all.filter { $0.unit != format.unit || $0.epoch != format.epoch }
            .filter { fits($0) && isSure($0) }
        guard fits(format) else {
            if let best = others.max(by: { sample.plausible(in: $0) < sample.plausible(in: $1) }) {
                self = .misfits(looksLike: best)
            } else {
                self = UnreadFormat(of: sample, at: now).map { .isUnread($0) } ?? .misfits(looksLike: nil)
            }
            return
        }
        self = .fits
        guard let age = sample.newest(in: format).map(now.timeIntervalSince) else { return }
        // The ranges of the epochs overlap: from 2031 on, seconds since 2001 are also seconds since 1970.
        if abs(age) > Self.farOff, let other = others.first(where: { $0.epoch != format.epoch }) {
            self = .isOff(looksLike: other)
        } else if age > TimeSample.recent, let unread = UnreadFormat(of: sample, at: now) {
            // Read wrongly they look old, and would go.
            self = .isUnread(unread)
        }
    }

    /// In seconds: twenty years. Epochs are at least thirty years apart.
    private static let farOff: TimeInterval = 20 * 365 * 86_400
    /// In seconds: two days, as clocks and zones differ.
    private static let ahead: TimeInterval = 2 * 86_400
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
