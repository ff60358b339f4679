import FoundationEssentials

/// A time zone as the system's tzdata has it.
package struct Zone: Hashable, Sendable {
    /// Its name, such as `Europe/Berlin`.
    package let identifier: String
    /// Where the offset becomes another, in Unix seconds, ascending.
    let transitions: [Int64]
    /// The offsets from UTC in seconds: that before the first transition, and that from each one on.
    let offsets: [Int]
    /// What holds after the last transition; nil where the last offset stays.
    let yearly: YearlyOffsets?

    /// UTC.
    package static let gmt = Zone(identifier: "GMT", transitions: [], offsets: [0], yearly: nil)

    /// A zone whose rules are its name, such as `CET-1CEST,M3.5.0,M10.5.0/3`.
    package init?(rules: String) {
        guard let yearly = YearlyOffsets(rules) else { return nil }
        self.init(identifier: rules, transitions: [], offsets: [0], yearly: yearly)
    }

    init(identifier: String, transitions: [Int64], offsets: [Int], yearly: YearlyOffsets?) {
        self.identifier = identifier
        self.transitions = transitions
        self.offsets = offsets
        self.yearly = yearly
    }

    /// By how many seconds the clock is ahead of UTC.
    package func offset(at date: Date) -> Int {
        // Any date is within 292 billion years of 1970.
        let time = Int64(date.timeIntervalSince1970.rounded(.down).clamped(to: -9.2e18...9.2e18))
        var (known, unknown) = (0, transitions.count)
        while known < unknown {
            let middle = (known + unknown) / 2
            if transitions[middle] <= time { known = middle + 1 } else { unknown = middle }
        }
        if known == transitions.count, let yearly { return yearly.offset(at: time) }
        return offsets[known]
    }
}

extension Double {
    /// The nearest number of a range; its first one for what is no number.
    func clamped(to range: ClosedRange<Double>) -> Double {
        self >= range.lowerBound ? Swift.min(self, range.upperBound) : range.lowerBound
    }
}
