import Foundation

/// A person's word that what a guard held may go, this once.
public struct Confirmation: Equatable, Sendable {
    /// What the person was told of.
    public let confirmed: HeldRule
    /// The run that has begun to delete it; nil while none has. It may have ended early, and what it left is confirmed as
    /// well, and nothing in the place of what it deleted.
    public let begun: Begun?

    /// How far a confirmed deletion has come.
    public struct Begun: Codable, Equatable, Sendable {
        /// When the run began, in whole seconds: what had expired by then was confirmed.
        public let at: Date
        /// How many of those rows are left; nil where nobody knows.
        public var left: Int64?
        /// How many of these a killed run may have deleted without having said so: those of one batch.
        public var inHand: Int64?

        /// See the properties.
        public init(at date: Date, left: Int64?, inHand: Int64? = nil) {
            at = Date(timeIntervalSince1970: date.timeIntervalSince1970.rounded(.down))
            self.left = left
            self.inHand = inHand
        }
    }

    /// See the properties.
    public init(_ confirmed: HeldRule, begun: Begun? = nil) {
        self.confirmed = confirmed
        self.begun = begun
    }

    /// What keeps a confirmation from covering what is seen now.
    public enum Mismatch: Equatable, Sendable {
        /// The rule, its limits or its store is another.
        case rule
        /// The cutoff lies on another day than this one.
        case day(String)
        /// The rows are more than a tenth more or less than these.
        case count(Int64)
        /// The rows are not as many as were left of those that were confirmed; nil: nobody knows how many were.
        case rest(Int64?)
    }

    /// Nil when the confirmation covers `seen`. `new`: how many of these rows expired only after the confirmed run began,
    /// which `limits` must let go.
    public func mismatch(
        with seen: HeldRule, expiredSince new: Int64 = 0, limits: HoldLimits = .standard
    ) -> Mismatch? {
        guard seen.rule == confirmed.rule, seen.limits == confirmed.limits, seen.place == confirmed.place
        else {
            return .rule
        }
        guard seen.cutoffDay == confirmed.cutoffDay else { return .day(confirmed.cutoffDay) }
        guard let begun else { return seen.isNear(confirmed) ? nil : .count(confirmed.expired) }
        // Fewer are not what was left either: where some of that has gone otherwise, others may stand in its place.
        guard let left = begun.left, (left - (begun.inHand ?? 0)...left).contains(seen.expired - new),
            !limits.areExceeded(by: new, of: seen.rows)
        else { return .rest(begun.left) }
        return nil
    }
}
