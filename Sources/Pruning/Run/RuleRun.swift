import Retention

/// One rule in one run: look at the store on the view context, delete on the worker context, batch by batch.
struct RuleRun {
    let task: PruneTask
    let store: any PrunableStore
    let settings: RunSettings
    let clock: RunClock
    let control: RunControl
    let emit: @Sendable (PruneEvent) -> Void

    func execute() -> RuleReport {
        let begin = settings.monotonic()
        var report = RuleReport(task)
        do {
            if let census = try look(&report) {
                report.add(census)
                _ = try passGuard(&report)
            } else {
                try delete(since: begin, into: &report)
            }
            if settings.countsKept { report.kept = try countKept(report) }
        } catch {
            report.end(with: error, control: control)
        }
        report.duration = settings.monotonic() - begin
        return report
    }

    /// The census of a rule that deletes nothing now; nil when there is work for the worker, which counts for itself.
    private func look(_ report: inout RuleReport) throws(StoreError) -> Census? {
        try onView { view throws(StoreError) -> Census? in
            try UnitCheck(task: task, place: store.definition.path).check(view)
            if settings.dryRun, settings.showsAges {
                report.forecast = Forecast(of: task, try view.ages(of: task))
                return report.forecast?.ages.census
            }
            if !settings.dryRun, try view.mayHaveExpired(task) { return nil }
            return try view.census(of: task)
        }
    }

    private func countKept(_ report: RuleReport) throws(StoreError) -> Int64 {
        let rows = try onView { view throws(StoreError) in try view.rowCount(of: task) }
        return settings.dryRun ? rows - (report.expired ?? 0) : rows
    }

    /// Throws when a guard holds the rule. Returns what lets it go because it was confirmed.
    private func passGuard(_ report: inout RuleReport) throws(StoreError) -> HeldRule? {
        let share = ShareGuard(task: task, settings: settings, place: store.definition.path)
        guard let expired = report.expired, share.mayHold(expired) else { return nil }
        let counted = report.forecast?.ages.rows
        switch try onView({ view throws(StoreError) in try share.judge(expired, of: counted, on: view) }) {
        case .goes: return nil
        case .goesAsConfirmed(let seen): return seen
        case .isHeld(let seen, let error):
            report.held = seen
            if settings.countsKept { report.kept = seen.rows }
            throw error
        }
    }

    private func delete(since begin: Duration, into report: inout RuleReport) throws(StoreError) {
        let worker = try patiently { () throws(StoreError) in try store.openWorker(control) }
        defer { worker.close() }
        // Of what goes as confirmed, it is written down what is left.
        let isCovered = settings.holds != nil && settings.memory.confirmations[task.rule.name] != nil
        let (census, accessPath, rows) = try patiently { () throws(StoreError) in
            try worker.begin(task, accessPath: settings.accessPath, tellsRows: isCovered)
        }
        report.add(census)
        let confirmed = try passGuard(&report)
        guard census.expired > 0 else { return }
        let rest = try beginCovered(confirmed, of: rows)
        report.accessPath = accessPath
        emit(.ruleStarted(task, expired: census.expired, accessPath: accessPath))

        let counted = settings.monotonic()
        var pacer = BatchPacer(lockTime: settings.lockTime, isQuiet: task.rule.isQuiet)
        while true {
            if let reason = control.stopReason {
                throw .stopRequested(reason, task.rule.name, at: store.definition.path)
            }
            if let doubt = clock.doubt {
                throw .clockDoubted(doubt, at: store.definition.path, program: settings.program)
            }
            let batch = try deleteBatch(on: worker, &pacer)
            let freed = settings.monotonic()
            guard let batch else {
                try yield(after: freed, on: worker, &pacer)
                continue
            }
            report.add(batch)
            report.duration = freed - begin
            report.deleting = freed - counted
            pacer.record(batch)
            if let gone = batch.fingerprint, gone.rows > 0 { try rest?.take(gone) }
            if batch.visited > 0 { emit(.batchCommitted(report, batch)) }
            // What has come since it was counted is for the next run, whose guards see it.
            if batch.isLast || report.deleted >= census.expired { return }
            if pacer.meetsSlowRowsOnly {
                throw try patiently { () throws(StoreError) in
                    try worker.failureOfSlowRows(BatchPacer.mostSlowRows)
                }
            }
            // First the log, which keeps nobody waiting: an app that has just come should not find it long.
            try patiently { () throws(StoreError) in try worker.maintainLog() }
            try yield(after: freed, on: worker, &pacer)
        }
    }

    /// What is to be told which of `rows` went, which went as `confirmed`. Nil where no guard would have held them: what was
    /// confirmed is not these, and a confirmation that stayed would let other rows go in their place. For that reason,
    /// what cannot be remembered does not begin.
    private func beginCovered(
        _ confirmed: HeldRule?, of rows: RowsFingerprint?
    ) throws(StoreError) -> ConfirmedRest? {
        guard let confirmed else {
            if rows != nil { try settings.holds?.forget(task.rule.name) }
            return nil
        }
        let rest = try rows.flatMap { rows throws(StoreError) in
            try settings.holds?.begin(task.rule.name, of: rows, at: task.start)
        }
        emit(.confirmationTaken(task, confirmed))
        return rest
    }

    /// Leaves the lock, which was freed at `freed`, to others for a while.
    private func yield(
        after freed: Duration, on worker: any WorkerContext, _ pacer: inout BatchPacer
    ) throws(StoreError) {
        let pause = pacer.pause
        let uses = try patiently { () throws(StoreError) in try worker.yield(for: pause, settings, control) }
        pacer.paused(uses: uses, in: settings.monotonic() - freed)
    }

    /// Nil when the batch did not fit on the disk, into the archive at once or into its time, and a smaller one is to be
    /// tried.
    private func deleteBatch(
        on worker: any WorkerContext, _ pacer: inout BatchPacer
    ) throws(StoreError) -> BatchResult? {
        let rows = pacer.rows
        do {
            return try patiently { () throws(StoreError) in try worker.deleteBatch(rows: rows) }
        } catch  where [.full, .tooLarge].contains(error.kind) && pacer.shrink() {
            return nil
        } catch  where error.kind == .tooSlow && pacer.beginAgain() {
            return nil
        }
    }

    private func onView<Result>(
        _ body: (any ViewContext) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try patiently { () throws(StoreError) in
            let view = try store.openView(control)
            defer { view.close() }
            return try body(view)
        }
    }

    private func patiently<Result>(
        _ attempt: () throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try Patience(settings: settings, control: control)
            .keepTrying(onWait: { emit(.waiting(task, $0)) }, attempt)
    }
}
