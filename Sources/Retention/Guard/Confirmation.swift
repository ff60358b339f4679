import FoundationEssentials

/// A person's permission to delete, once, what a guard held.
package struct Confirmation: Equatable, Sendable {
    /// What the person was shown.
    package let confirmed: HeldRule
    /// The confirmed deletion that has begun; nil while none has. If it ended early, the rows that it left are still
    /// confirmed, and no other rows are.
    package let begun: Begun?
    /// When the rule was first held: a later hold may look the same, and be of other rows.
    package let heldSince: Date?

    /// The progress of a confirmed deletion.
    package struct Begun: Equatable, Sendable {
        /// When the run began. Rows that had expired by then were confirmed.
        package let at: Date
        /// Which of those rows are left; nil where unknown.
        package var left: RowsFingerprint?

        package init(at date: Date, left: RowsFingerprint?) {
            at = date
            self.left = left
        }
    }

    package init(_ confirmed: HeldRule, begun: Begun? = nil, heldSince: Date? = nil) {
        self.heldSince = heldSince
        self.confirmed = confirmed
        self.begun = begun
    }

    /// Why a confirmation does not cover what is seen now.
    package enum Mismatch: Equatable, Sendable {
        /// The rule, its limits or its store changed.
        case rule
        /// The cutoff is no longer on this day, which was confirmed.
        case day(String)
        /// The number of rows differs by more than a tenth from this one, which was confirmed.
        case count(Int64)
        /// The database or its table is another one, in the place of the confirmed one.
        case identity
        /// The rows that a person was shown are not all there, or others are among them.
        case rows
        /// The rows are not the ones left of the confirmed rows. Has the number of those that were left; nil if
        /// unknown.
        case rest(Int64?)
    }

    /// Why this confirmation does not cover `seen`; nil when it does. `rest` is the part of these rows that had expired
    /// when the confirmed run began, or, while none has, when a person was shown them; nil if not determined. The other
    /// rows must be within `limits`, or be about a tenth of those that were shown.
    package func mismatch(
        with seen: HeldRule, rest: RowsFingerprint? = nil, limits: HoldLimits = .standard
    ) -> Mismatch? {
        guard seen.rule == confirmed.rule, seen.limits == confirmed.limits, seen.place == confirmed.place
        else {
            return .rule
        }
        guard seen.cutoffDay == confirmed.cutoffDay else { return .day(confirmed.cutoffDay) }
        if let one = confirmed.identity, let other = seen.identity, one != other { return .identity }
        guard let begun else {
            guard seen.isNear(confirmed) else { return .count(confirmed.expired) }
            // As many other rows may stand in the place of those that a person was shown.
            guard let shown = confirmed.shown?.rows, let rest else { return nil }
            return rest == shown ? nil : .rows
        }
        // Comparing counts is not enough: if the app deleted some of the rows that were left, other rows may have taken
        // their place.
        guard let left = begun.left, let rest, rest == left,
            !limits.areExceeded(by: max(0, seen.expired - rest.rows), of: seen.rows)
        else { return .rest(begun.left?.rows) }
        return nil
    }
}
