import Foundation

extension Sequence<Double> {
    /// The middle one, or the mean of the two in the middle; not a number where there is none.
    var median: Double {
        let sorted = sorted()
        guard !sorted.isEmpty else { return .nan }
        let middle = sorted.count / 2
        return sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
    }

    /// The largest; not a number where there is none.
    var largest: Double { self.max() ?? .nan }
    /// The smallest; not a number where there is none.
    var smallest: Double { self.min() ?? .nan }
}

extension Double {
    /// With `digits` after the point, in every locale.
    func formatted(digits: Int) -> String { String(format: "%.\(digits)f", self) }
}

extension Int {
    /// "3 million", "40,000".
    var inWords: String {
        guard self >= 1_000_000, isMultiple(of: 100_000) else {
            return formatted(.number.locale(.init(identifier: "en_US")))
        }
        let millions = Double(self) / 1e6
        return "\(millions.formatted(digits: isMultiple(of: 1_000_000) ? 0 : 1)) million"
    }
}
