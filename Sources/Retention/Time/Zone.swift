import FoundationEssentials

/// A time zone from the system's tzdata.
package struct Zone: Codable, Hashable, Sendable {
    /// Its name, such as `Europe/Berlin`.
    package let identifier: String
    /// The instants at which the offset changes, in Unix seconds, ascending.
    let transitions: [Int64]
    /// The offsets from UTC in seconds: the first applies before the first transition, each further one from its
    /// transition on.
    let offsets: [Int]
    /// The rules after the last transition; nil if the last offset stays.
    let yearly: YearlyOffsets?

    /// UTC.
    package static let gmt = Zone(identifier: "GMT", transitions: [], offsets: [0], yearly: nil)

    /// A zone whose name is its rules, such as `CET-1CEST,M3.5.0,M10.5.0/3`.
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

    /// The offset from UTC in seconds; positive when the clock is ahead.
    package func offset(at date: Date) -> Int {
        // Clamped to the range of Int64, about 292 billion years around 1970.
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
    /// The nearest number in the range; its lower bound for NaN.
    func clamped(to range: ClosedRange<Double>) -> Double {
        self >= range.lowerBound ? Swift.min(self, range.upperBound) : range.lowerBound
    }
}
