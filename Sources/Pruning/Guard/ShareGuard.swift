import Retention

/// Holds a rule that would delete more of its table than its limits permit, unless a person confirmed exactly that.
struct ShareGuard {
    let task: PruneTask
    /// The store's path.
    let place: String
    let memory: GuardMemory
    /// Whether this is a dry run, which deletes nothing and records no hold.
    let isDry: Bool
    /// Whether the text is part of `pruned plan`.
    let isPlan: Bool
    /// The command line that calls this program.
    let program: String

    enum Verdict {
        case goes
        case goesAsConfirmed(HeldRule)
        case isHeld(HeldRule, HoldText)
    }

    /// Whether a task that would delete `expired` rows could be held at all.
    func mayHold(_ expired: Int64) -> Bool { task.rule.holdLimits.mayBeExceeded(by: expired) }

    /// Judges a task that would delete `expired` rows, by what `view` shows. `counted` is the number of rows in the
    /// table, without those that a dry run presumes deleted; nil if they were not counted.
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
            seen: seen, limits: limits, table: task.rule.table, action: task.rule.action,
            change: change,
            added: try added(to: expired, on: view), mismatch: mismatch ?? nil,
            isConfirmedNow: memory.confirmedNow.contains(task.rule.name),
            isOnRecord: isDry ? try isOnRecord(seen, on: view) : true, isPlan: isPlan, program: program)
        return .isHeld(seen, words)
    }

    /// Whether a recorded hold exists that a person could confirm to cover exactly this.
    private func isOnRecord(_ seen: HeldRule, on view: any ViewContext) throws(StoreError) -> Bool {
        guard let confirmation = memory.confirmable[task.rule.name] else { return false }
        return try mismatch(of: confirmation, with: seen, on: view) == nil
    }

    /// Why `confirmation` does not cover `seen`; nil when it does. If the confirmed deletion has begun, only the rows
    /// that had expired by its start are compared: rows that expired later were not confirmed.
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

    /// How many of the `expired` rows the rule as it last ran would have kept; nil where that is unknown.
    private func added(to expired: Int64, on view: any ViewContext) throws(StoreError) -> Int64? {
        guard change != nil, let before = lastRun?.rule?.applied(to: task.rule) else { return nil }
        let task = PruneTask(before, start: task.start, in: task.timeZone, presumedDone: task.presumedDone)
        do {
            return max(0, expired - (try view.census(of: task).expired))
        } catch  where error.kind == .schema {
            return nil  // the table or column of its last run no longer exists
        }
    }
}
