import FoundationEssentials

/// A person's word that what a guard held may go, this once.
package struct Confirmation: Equatable, Sendable {
    /// What the person was told of.
    package let confirmed: HeldRule
    /// The run that has begun to delete it; nil while none has. It may have ended early, and what it left is confirmed as
    /// well, and nothing in the place of what it deleted.
    package let begun: Begun?

    /// How far a confirmed deletion has come.
    package struct Begun: Equatable, Sendable {
        /// When the run began: what had expired by then was confirmed.
        package let at: Date
        /// Which of those rows are left; nil where nobody knows.
        package var left: RowsFingerprint?

        package init(at date: Date, left: RowsFingerprint?) {
            at = date
            self.left = left
        }
    }

    package init(_ confirmed: HeldRule, begun: Begun? = nil) {
        self.confirmed = confirmed
        self.begun = begun
    }

    /// What keeps a confirmation from covering what is seen now.
    package enum Mismatch: Equatable, Sendable {
        /// The rule, its limits or its store is another.
        case rule
        /// The cutoff lies on another day than this one.
        case day(String)
        /// The rows are more than a tenth more or less than these.
        case count(Int64)
        /// The rows are not those that were left of what was confirmed, so many; nil: nobody knows which were left.
        case rest(Int64?)
    }

    /// Nil when the confirmation covers `seen`. `rest`: which of these rows had expired when the confirmed run began; nil
    /// where nobody looked. `limits` must let the others go.
    package func mismatch(
        with seen: HeldRule, rest: RowsFingerprint? = nil, limits: HoldLimits = .standard
    ) -> Mismatch? {
        guard seen.rule == confirmed.rule, seen.limits == confirmed.limits, seen.place == confirmed.place
        else {
            return .rule
        }
        guard seen.cutoffDay == confirmed.cutoffDay else { return .day(confirmed.cutoffDay) }
        guard let begun else { return seen.isNear(confirmed) ? nil : .count(confirmed.expired) }
        // A number would not do: where some of what was left has gone otherwise, others may stand in its place.
        guard let left = begun.left, let rest, rest == left,
            !limits.areExceeded(by: max(0, seen.expired - rest.rows), of: seen.rows)
        else { return .rest(begun.left?.rows) }
        return nil
    }
}
