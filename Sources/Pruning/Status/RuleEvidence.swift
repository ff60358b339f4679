import FoundationEssentials
import Retention

/// The facts from which a rule's state is derived.
package struct RuleEvidence: Sendable {
    /// The rule's last completed run.
    package var lastRun: LastRun?
    /// The rule's last attempt in the history.
    package var lastAttempt: LastAttempt?
    /// What a run of the rule last recorded of its progress.
    package var progress: RunProgress?
    /// The rule's hold, if there is one.
    package var hold: Hold?
    /// Why the rule does not fit its store.
    package var misfit: StoreError?
    /// Whether the clock is not believed, so that no rule runs.
    package var isClockDoubted: Bool
    /// Whether a run has claimed the rule's store now.
    package var isStoreClaimed: Bool
    /// What its runs deleted on each of the last days; nil if nothing.
    package var deletions: DailyDeletions?
    /// The expired rows that each of the rule's last runs left.
    package var backlog: Backlog?
    /// Whether the service runs, did not complete the rule, and retries it soon, whether or not it is due.
    package var isRetried: Bool

    package init(
        lastRun: LastRun? = nil, lastAttempt: LastAttempt? = nil, progress: RunProgress? = nil,
        hold: Hold? = nil,
        misfit: StoreError? = nil, isClockDoubted: Bool = false, isStoreClaimed: Bool = false,
        isRetried: Bool = false
    ) {
        self.lastRun = lastRun
        self.lastAttempt = lastAttempt
        self.progress = progress
        self.hold = hold
        self.misfit = misfit
        self.isClockDoubted = isClockDoubted
        self.isStoreClaimed = isStoreClaimed
        self.isRetried = isRetried
    }

    /// The part of the evidence that belongs to `rule` on the store at `place` (see ``StorePlace``), and not to another
    /// rule with the same name. An attempt from before another rule's last run is left out.
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
        if own.lastAttempt == nil { own.backlog = nil }
        return own
    }

    /// The last attempt; nil if a later run completed. The history may not have that run yet, since it records idle
    /// runs late.
    var decisiveAttempt: LastAttempt? {
        guard let lastAttempt, let lastRun else { return lastAttempt }
        return lastAttempt.began.timeIntervalSince1970 >= lastRun.date.timeIntervalSince1970.rounded(.down)
            ? lastAttempt : nil
    }

    /// The last attempt, if the archive held it. In that case confirming a guard's hold does not help.
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
        // A failed run leaves the hold and its confirmation as they were, and they must not hide it.
        if decisiveAttempt?.record?.outcome == .failed { return .failed }
        if let hold { return hold.confirmedAt == nil ? .held : .confirmed }
        if let record = decisiveAttempt?.record { return RuleState(record.outcome) }
        return lastRun == nil ? .new : .done
    }

    /// How far the rule's run is that deletes now; nil when none does, or has recorded nothing yet.
    var runProgress: RunProgress? {
        guard state == .running, let progress, let attempt = decisiveAttempt, progress.at >= attempt.began
        else { return nil }
        return progress
    }

    /// Nil when no run can begin.
    func nextRun(of rule: RetentionRule, now: Date, in timeZone: Zone) -> NextRun? {
        if state == .unfit { return nil }
        if isClockDoubted { return .waits(.clock) }
        if let obstacle = heldByArchive?.record?.waitsFor { return .waits(obstacle) }
        if state == .held, hold != nil { return .waits(.confirmation) }
        if state == .confirmed, hold?.begun == nil { return .now }
        if state == .failed, hold != nil { return .waits(.retry) }
        // A held rule is due until it is done.
        let last = hold == nil ? lastRun?.date : nil
        let turn = decisiveAttempt?.turn(of: rule, in: timeZone)
        let due = RunSchedule.due(of: rule, lastRun: last, now: max(now, turn ?? now), in: timeZone)
        if state == .confirmed, due <= now { return .now }
        if isRetried, state != .done, rule.between == nil || due <= now { return .waits(.retry) }
        if due > now { return .at(due) }
        return [.stopped, .skipped, .failed].contains(state) ? .waits(.retry) : .now
    }
}
