import FoundationEssentials
import Retention

/// What is known of a rule, and by which its state is judged.
package struct RuleEvidence: Sendable {
    /// When it last ran to its end.
    package var lastRun: LastRun?
    /// The last that the history has of it.
    package var lastAttempt: LastAttempt?
    /// What a guard holds of it.
    package var hold: Hold?
    /// Why it does not fit its store.
    package var misfit: StoreError?
    /// Whether the clock is not believed, so that no rule runs.
    package var isClockDoubted: Bool
    /// Whether a run has its store just now.
    package var isStoreClaimed: Bool
    /// Whether the service runs, did not bring it to its end, and tries it again soon, due or not.
    package var isRetried: Bool

    /// See the properties.
    package init(
        lastRun: LastRun? = nil, lastAttempt: LastAttempt? = nil, hold: Hold? = nil,
        misfit: StoreError? = nil, isClockDoubted: Bool = false, isStoreClaimed: Bool = false,
        isRetried: Bool = false
    ) {
        self.lastRun = lastRun
        self.lastAttempt = lastAttempt
        self.hold = hold
        self.misfit = misfit
        self.isClockDoubted = isClockDoubted
        self.isStoreClaimed = isStoreClaimed
        self.isRetried = isRetried
    }

    /// The part of it that is of `rule` on the store at `place`, see ``StorePlace``, and not of another rule that had its name. Of what came before
    /// a run of another one, nothing is.
    package func of(_ rule: RetentionRule, at place: String?) -> RuleEvidence {
        var own = self
        own.lastRun = lastRun.flatMap { $0.counts(for: rule, at: place) ? $0 : nil }
        own.hold = hold.flatMap { hold in
            let isSameStore = place == nil || place == StorePlace.resolved(hold.seen.place)
            return isSameStore && hold.seen.rule.isOfTable(of: rule) ? hold : nil
        }
        let foreign = own.lastRun == nil ? lastRun?.date : nil
        own.lastAttempt = lastAttempt.flatMap { attempt in
            attempt.isOf(rule) && foreign.map { attempt.began > $0 } ?? true ? attempt : nil
        }
        return own
    }

    /// The last attempt, unless a later run came to its end: of those that did nothing the history tells late.
    var decisiveAttempt: LastAttempt? {
        guard let lastAttempt, let lastRun else { return lastAttempt }
        return lastAttempt.began.timeIntervalSince1970 >= lastRun.date.timeIntervalSince1970.rounded(.down)
            ? lastAttempt : nil
    }

    /// How the last attempt ended, if the archive held it: then no confirmation of what a guard holds helps.
    package var heldByArchive: LastAttempt? {
        guard let attempt = decisiveAttempt, let record = attempt.record, record.outcome == .held,
            record.waitsFor?.isOfArchive == true
        else { return nil }
        return attempt
    }

    var state: RuleState {
        if misfit != nil { return .unfit }
        if let attempt = decisiveAttempt, attempt.record == nil {
            return isStoreClaimed ? .running : .interrupted
        }
        if heldByArchive != nil { return .held }
        if let hold { return hold.confirmedAt == nil ? .held : .confirmed }
        if let record = decisiveAttempt?.record { return RuleState(record.outcome) }
        return lastRun == nil ? .new : .done
    }

    /// Nil when no run can begin.
    func nextRun(of rule: RetentionRule, now: Date, in timeZone: Zone) -> NextRun? {
        if state == .unfit { return nil }
        if isClockDoubted { return .waits(.clock) }
        if let obstacle = heldByArchive?.record?.waitsFor { return .waits(obstacle) }
        if state == .held, hold != nil { return .waits(.confirmation) }
        if state == .confirmed { return .now }
        let due = RunSchedule.due(every: rule.every, lastRun: lastRun?.date, now: now, in: timeZone)
        if isRetried, state != .done { return .waits(.retry) }
        if due > now { return .at(due) }
        return [.stopped, .skipped, .failed].contains(state) ? .waits(.retry) : .now
    }
}
