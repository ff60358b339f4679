import FoundationEssentials

/// A rule that a guard holds until a person permits its deletion, once.
package struct Hold: Codable, Equatable, Sendable {
    /// What the guard saw when it last held the rule, and a person was shown.
    package var seen: HeldRule
    /// Why it held the rule, as text.
    package var cause: String
    /// When the guard first held it.
    package var since: Date
    /// When a person confirmed ``seen``; nil while nobody has.
    package var confirmedAt: Date?
    /// The confirmed deletion that has begun and is not complete; nil when there is none. If it ended early, the rows
    /// that it left are still confirmed, and no other rows are.
    package var begun: Begun?
    /// How many rows the confirmed deletion had to delete when it began; nil when none has begun.
    package var begunRows: Int64?
    /// When the service last logged the hold to the journal; nil when it has not.
    package var announcedAt: Date?

    /// The progress of a confirmed deletion.
    package struct Begun: Codable, Equatable, Sendable {
        /// When the run began. Rows that had expired by then were confirmed.
        package let at: Date
        /// Which of those rows are left; nil where unknown.
        package var left: RowsFingerprint?

        package init(at date: Date, left: RowsFingerprint?) {
            at = date
            self.left = left
        }
    }

    /// An unconfirmed hold.
    package init(seen: HeldRule, cause: String, since: Date, announcedAt: Date? = nil) {
        self.seen = seen
        self.cause = cause
        self.since = since
        self.announcedAt = announcedAt
    }

    /// This hold after a guard held the rule again, at `date`.
    package func seen(again now: HeldRule, because cause: String, at date: Date) -> Hold {
        // A person confirmed it while the run was judging the rule, too late for that run.
        if confirmedAt != nil, now.isOfSameRows(as: seen), mismatch(with: now) == nil { return self }
        var next = now
        if now.isRepeat(of: seen) {
            // A person is told of a hold only once, so the rows that a confirmation covers must not grow afterwards.
            (next.expired, next.rows) = (seen.expired, seen.rows)
        }
        return Hold(
            seen: next, cause: cause, since: seen.rule == next.rule ? since : date,
            announcedAt: next.isRepeat(of: seen) ? announcedAt : nil)
    }

    /// Whether a confirmation of `other`, which was read before, is one of this hold. A later hold may look the same, and
    /// be of other rows; it began later.
    package func isConfirmed(with other: Hold) -> Bool {
        seen == other.seen && begun == other.begun && since == other.since
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

    /// Why a confirmation of this hold does not cover `now`; nil when it does. `rest` is the part of these rows that had
    /// expired when the confirmed run began, or, while none has, when a person was shown them; nil if not determined. The
    /// other rows must be within `limits`, or be about a tenth of those that were shown.
    package func mismatch(
        with now: HeldRule, rest: RowsFingerprint? = nil, limits: HoldLimits = .standard
    ) -> Mismatch? {
        if let mismatch = mismatch(beforeCounting: now) { return mismatch }
        guard let begun else {
            guard now.isNear(seen) else { return .count(seen.expired) }
            // As many other rows may stand in the place of those that a person was shown.
            guard let shown = seen.shown?.rows, let rest else { return nil }
            return rest == shown ? nil : .rows
        }
        // Comparing counts is not enough: if the app deleted some of the rows that were left, other rows may have taken
        // their place.
        guard let left = begun.left, let rest, rest == left,
            !limits.areExceeded(by: max(0, now.expired - rest.rows), of: now.rows)
        else { return .rest(begun.left?.rows) }
        return nil
    }

    /// Why a confirmation of this hold would not cover what `rule` would delete at `now`, as far as that is known
    /// without counting; nil when it may.
    package func mismatch(with rule: RetentionRule, at now: Date, in timeZone: Zone) -> Mismatch? {
        mismatch(
            beforeCounting: HeldRule(
                rule, place: seen.place, cutoff: rule.expiry.cutoff(at: now, in: timeZone),
                timeZone: timeZone, expired: seen.expired, rows: seen.rows, change: nil))
    }

    private func mismatch(beforeCounting now: HeldRule) -> Mismatch? {
        guard now.rule == seen.rule, now.limits == seen.limits, now.place == seen.place else { return .rule }
        guard now.cutoffDay == seen.cutoffDay else { return .day(seen.cutoffDay) }
        if let one = seen.identity, let other = now.identity, one != other { return .identity }
        return nil
    }
}
