import FoundationEssentials
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

    private var limits: HoldLimits { task.rule.holdLimits }

    /// Whether a task that would delete `expired` rows could be held at all.
    func mayHold(_ expired: Int64) -> Bool {
        limits.mayBeExceeded(by: expired) || expired > 0 && limits.guardNewest(of: task.rule.expiry)
    }

    /// Judges a task that would delete `expired` rows, by what `view` shows. `counted` is the number of rows in the
    /// table, without those that a dry run presumes deleted; nil if they were not counted.
    func judge(
        _ expired: Int64, of counted: Int64?, on view: any ViewContext
    ) throws(StoreError) -> Verdict {
        let rows = if let counted { counted } else { try view.rowCount(of: task) }
        let isShareExceeded = limits.areExceeded(by: expired, of: rows)
        let recency = isShareExceeded ? nil : try recency(ofNewestAmong: expired, on: view)
        guard isShareExceeded || recency != nil else { return .goes }
        var seen = HeldRule(
            task.rule, place: place, cutoff: task.cutoff, timeZone: task.timeZone, expired: expired,
            rows: rows, change: change, identity: try view.identity(of: task))
        let mismatch = try memory.confirmed[task.rule.name].map { hold throws(StoreError) in
            try self.mismatch(of: hold, with: seen, on: view)
        }
        if case .some(nil) = mismatch { return .goesAsConfirmed(seen) }
        if !isDry || memory.isToConfirm { seen.shown = try shown(seen, on: view) }
        let words = HoldText(
            seen: seen, limits: limits, recency: recency, timeZone: task.timeZone, table: task.rule.table,
            action: task.rule.action,
            change: change,
            added: try added(to: expired, on: view), mismatch: mismatch ?? nil,
            isConfirmedNow: memory.confirmedNow.contains(task.rule.name),
            isOnRecord: isDry ? try isOnRecord(seen, on: view) : true, isPlan: isPlan, program: program)
        return .isHeld(seen, words)
    }

    /// Whether a recorded hold exists that a person could confirm to cover exactly this.
    private func isOnRecord(_ seen: HeldRule, on view: any ViewContext) throws(StoreError) -> Bool {
        guard let hold = memory.holds[task.rule.name] else { return false }
        return try mismatch(of: hold, with: seen, on: view) == nil
    }

    /// How new the rows are that would go, if some of them are among the newest of the table; else nil.
    ///
    /// Of a rule that has run as it is, only those that would go and the newer ones count: what it keeps for other reasons
    /// may grow beside them for years.
    private func recency(
        ofNewestAmong expired: Int64, on view: any ViewContext
    ) throws(StoreError) -> Recency? {
        guard limits.guardNewest(of: task.rule.expiry) else { return nil }
        let enough = change == nil ? Recency.enough(for: expired) : nil
        guard let recency = try view.recency(of: task, enough: enough), recency.reachesNewest(by: expired)
        else { return nil }
        return recency
    }

    /// The rows that a person is shown: those of the recorded hold while they are still there, else those that would go.
    private func shown(_ seen: HeldRule, on view: any ViewContext) throws(StoreError) -> HeldRule.Shown {
        if let hold = memory.holds[task.rule.name]?.seen, let shown = hold.shown,
            hold.identity == seen.identity, hold.kind == seen.kind,
            try rows(expiredBy: shown.at, on: view) == shown.rows
        {
            return shown
        }
        return HeldRule.Shown(at: task.start, rows: try view.fingerprint(of: task))
    }

    /// Which rows had expired in a run at `date`, and are still there.
    private func rows(
        expiredBy date: Date, on view: any ViewContext
    ) throws(StoreError) -> RowsFingerprint {
        try view.fingerprint(
            of: PruneTask(task.rule, start: date, in: task.timeZone, presumedDone: task.presumedDone))
    }

    /// Why a confirmation of `hold` does not cover `seen`; nil when it does. Only the rows that
    /// had expired by the start of the confirmed deletion, or when a person was shown them, are compared: rows that expired
    /// later were not confirmed.
    private func mismatch(
        of hold: Hold, with seen: HeldRule, on view: any ViewContext
    ) throws(StoreError) -> Hold.Mismatch? {
        guard let date = hold.begun?.at ?? hold.seen.shown?.at else {
            // An earlier version did not record which rows it held.
            return hold.mismatch(with: seen) ?? .rows
        }
        return hold.mismatch(with: seen, rest: try rows(expiredBy: date, on: view), limits: limits)
    }

    private var lastRun: LastRun? { memory.lastRuns[task.rule.name] }

    private var change: RuleChange? { memory.change(of: task) }

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
