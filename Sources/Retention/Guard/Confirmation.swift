/// A person's word that what a guard held may go, this once.
public struct Confirmation: Equatable, Sendable {
    /// What the person was told of.
    public let confirmed: HeldRule
    /// Whether a run has begun to delete it. It may have ended early, and what is left is confirmed as well.
    public let hasBegun: Bool

    /// See the properties.
    public init(_ confirmed: HeldRule, hasBegun: Bool = false) {
        self.confirmed = confirmed
        self.hasBegun = hasBegun
    }

    /// What keeps a confirmation from covering what is seen now.
    public enum Mismatch: Equatable, Sendable {
        /// The rule, its limits or its store is another.
        case rule
        /// The cutoff lies on another day than this one.
        case day(String)
        /// The rows are more than a tenth more or less than these.
        case count(Int64)
    }

    /// Nil when the confirmation covers `seen`.
    public func mismatch(with seen: HeldRule) -> Mismatch? {
        guard seen.rule == confirmed.rule, seen.limits == confirmed.limits, seen.place == confirmed.place
        else {
            return .rule
        }
        guard seen.cutoffDay == confirmed.cutoffDay else { return .day(confirmed.cutoffDay) }
        let isLess = hasBegun && seen.expired < confirmed.expired
        return isLess || seen.isNear(confirmed) ? nil : .count(confirmed.expired)
    }
}
