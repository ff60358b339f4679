/// What a figure must be.
struct Target: Codable, Equatable, CustomStringConvertible {
    enum Bound: String, Codable {
        case atMost = "<="
        case below = "<"
        case atLeast = ">="
    }

    let bound: Bound
    let limit: Double
    /// What follows the number: "x A".
    let unit: String

    /// Whether the figure is what it must be; one that could not be measured is not.
    func isMet(by value: Double) -> Bool {
        switch bound {
        case .atMost: value <= limit
        case .below: value < limit
        case .atLeast: value >= limit
        }
    }

    var description: String {
        let isWhole = limit == limit.rounded() && unit.first != "x"
        return "\(bound.rawValue) \(limit.formatted(digits: isWhole ? 0 : limit < 1 ? 2 : 1)) \(unit)"
    }

    static func atMost(_ limit: Double, _ unit: String) -> Self {
        Self(bound: .atMost, limit: limit, unit: unit)
    }
    static func below(_ limit: Double, _ unit: String) -> Self {
        Self(bound: .below, limit: limit, unit: unit)
    }
    static func atLeast(_ limit: Double, _ unit: String) -> Self {
        Self(bound: .atLeast, limit: limit, unit: unit)
    }
}
