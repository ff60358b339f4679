import Retention

/// Holds a rule that would delete more of its table than its limits let it, unless a person confirmed just that.
struct ShareGuard {
    let task: PruneTask
    /// Where the store is.
    let place: String
    let memory: GuardMemory
    /// Whether nothing is deleted, and so no hold is recorded.
    let isDry: Bool
    /// Whether what it says stands in a plan.
    let isPlan: Bool
    /// How to call this program.
    let program: String

    /// What the guard has to say of a rule.
    enum Verdict {
        case goes
        case goesAsConfirmed(HeldRule)
        case isHeld(HeldRule, HoldText)
    }

    /// Whether it need be asked at all about a task that would delete `expired` rows.
    func mayHold(_ expired: Int64) -> Bool { task.rule.holdLimits.mayBeExceeded(by: expired) }

    /// Judges a task that would delete `expired` rows, by what `view` shows. `counted`: the rows of the table, but for
    /// those that a dry run takes for deleted, where they have been counted.
    func judge(
        _ expired: Int64, of counted: Int64?, on view: any ViewContext
    ) throws(StoreError) -> Verdict {
        let limits = task.rule.holdLimits
        let rows = if let counted { counted } else { try view.rowCount(of: task) }
        guard limits.areExceeded(by: expired, of: rows) else { return .goes }
        let seen = HeldRule(
            task.rule, place: place, cutoff: task.cutoff, timeZone: task.timeZone, expired: expired,
            rows: rows,
            change: change)
        let confirmation = memory.confirmations[task.rule.name]
        let mismatch = try confirmation.map { confirmation throws(StoreError) in
            try self.mismatch(of: confirmation, with: seen, on: view)
        }
        if case .some(nil) = mismatch { return .goesAsConfirmed(seen) }
        let words = HoldText(
            seen: seen, limits: limits, table: task.rule.table, change: change,
            added: try added(to: expired, on: view), mismatch: mismatch ?? nil,
            isConfirmedNow: memory.confirmedNow.contains(task.rule.name),
            isOnRecord: isDry ? try isOnRecord(seen, on: view) : true, isPlan: isPlan, program: program)
        return .isHeld(seen, words)
    }

    /// Whether a person could confirm just this as it is.
    private func isOnRecord(_ seen: HeldRule, on view: any ViewContext) throws(StoreError) -> Bool {
        guard let confirmation = memory.confirmable[task.rule.name] else { return false }
        return try mismatch(of: confirmation, with: seen, on: view) == nil
    }

    /// Of a deletion that has begun, what had expired by then is looked at apart: that was confirmed, and what has expired
    /// since was not.
    private func mismatch(
        of confirmation: Confirmation, with seen: HeldRule, on view: any ViewContext
    ) throws(StoreError) -> Confirmation.Mismatch? {
        guard let begun = confirmation.begun else { return confirmation.mismatch(with: seen) }
        let begin = PruneTask(
            task.rule, start: begun.at, in: task.timeZone, presumedDone: task.presumedDone)
        return confirmation.mismatch(
            with: seen, rest: try view.fingerprint(of: begin), limits: task.rule.holdLimits)
    }

    private var lastRun: LastRun? { memory.lastRuns[task.rule.name] }

    private var change: RuleChange? {
        guard let lastRun else { return .new }
        return lastRun.rule.flatMap {
            RuleChange(of: task.rule, since: $0, at: task.start, in: task.timeZone)
        }
    }

    /// How many of `expired` rows the rule as it last ran would have kept; nil where that cannot be told.
    private func added(to expired: Int64, on view: any ViewContext) throws(StoreError) -> Int64? {
        guard change != nil, let before = lastRun?.rule?.applied(to: task.rule) else { return nil }
        let task = PruneTask(before, start: task.start, in: task.timeZone, presumedDone: task.presumedDone)
        do {
            return max(0, expired - (try view.census(of: task).expired))
        } catch  where error.kind == .schema {
            return nil  // what it last ran with is there no more
        }
    }
}
