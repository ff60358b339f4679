import FoundationEssentials

/// Whether a sample of a time column fits the format of the rule.
package enum UnitDiagnosis: Equatable, Sendable {
    /// At least half of the values are plausible in the rule's format, or there are no values.
    case fits
    /// They are not. Has another format in which at least half are plausible, and the newest is of the last year; nil if
    /// there is none.
    case misfits(looksLike: TimeFormat?)
    /// They are plausible, but lie decades from now. In this other format they are recent.
    case isOff(looksLike: TimeFormat)
    /// They are plausible, but none of them is of the last year. In this other format nearly all are, and some of today.
    case isOld(looksLike: TimeFormat)
    /// They are times in this format, which no rule can read.
    case isUnread(UnreadFormat)

    /// Judges `sample`, taken at `now`, from a column that a rule reads in `format`. In a column with deadlines, the newest
    /// may lie ahead by a year.
    package init(
        of sample: TimeSample, in format: TimeFormat, areDeadlines: Bool = false, at now: Date
    ) {
        func fits(_ format: TimeFormat) -> Bool { 2 * sample.plausible(in: format) >= sample.count }
        func isMost(_ format: TimeFormat) -> Bool { 10 * sample.plausible(in: format) >= 9 * sample.count }
        /// Some texts mean only one thing, whatever their time is.
        func isSure(_ format: TimeFormat) -> Bool {
            guard !format.unit.isUnmistakable else { return true }
            guard let age = sample.newest(in: format).map(now.timeIntervalSince) else { return false }
            return age <= TimeSample.recent && age >= -(areDeadlines ? TimeSample.recent : Self.ahead)
        }
        let others = TimeFormat.all.filter { $0.unit != format.unit || $0.epoch != format.epoch }
            .filter { ($0.unit.isAmbiguous && !$0.unit.isUnmistakable ? isMost($0) : fits($0)) && isSure($0) }
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
        } else if age > TimeSample.recent || (age < -TimeSample.recent && !areDeadlines),
            let other = others.first(where: \.unit.isAmbiguous)
        {
            self = .isOld(looksLike: other)
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
