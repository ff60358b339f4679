import FoundationEssentials
import Retention

/// One rule in one run: examines the store on the view context, then deletes batch by batch on the worker context.
struct RuleRun {
    let task: PruneTask
    /// Whether no other rule of the run follows on the store.
    let isLast: Bool
    let store: any PrunableStore
    let settings: RunSettings
    let clock: RunClock
    let control: RunControl
    let emit: @Sendable (PruneEvent) -> Void

    func execute() -> RuleReport {
        let begin = settings.monotonic()
        var report = RuleReport(task)
        do throws(Halt) {
            try checkHours()
            if let census = try look(&report) {
                report.add(census)
                _ = try passGuard(&report)
            } else {
                try delete(since: begin, into: &report)
            }
            if settings.countsKept, report.kept == nil { report.kept = try countKept(report) }
        } catch {
            report.end(with: error.located(by: settings.origins), stopReason: control.stopReason)
        }
        report.duration = settings.monotonic() - begin
        return report
    }

    /// The census of a rule that deletes nothing now; nil when there is work for the worker, which makes its own
    /// census. Where nothing has expired, it counts what is kept as well: to open the store again takes longer than that.
    private func look(_ report: inout RuleReport) throws(Halt) -> Census? {
        var storeTime: Date?
        var kept: Int64?
        let census = try onView { view throws(StoreError) -> Census? in
            storeTime = view.clock()
            try UnitCheck(task: task, place: place).check(view)
            if settings.dryRun { try view.validate(task.rule) }
            if !settings.dryRun, try view.mayHaveExpired(task) { return nil }
            if settings.dryRun, settings.showsAges {
                report.forecast = Forecast(of: task, try view.ages(of: task))
            }
            let census =
                if let counted = report.forecast?.ages.census { counted } else { try view.census(of: task) }
            if census.expired > 0 {
                try view.checkReferences(to: task)
            } else if settings.countsKept {
                kept = try view.rowCount(of: task)
            }
            return census
        }
        try compareClocks(storeTime)
        report.kept = kept
        return census
    }

    /// Throws if the store's own clock is far behind the one by which the cutoff was fixed. One that is ahead does no harm:
    /// less has expired then.
    private func compareClocks(_ storeTime: Date?) throws(Halt) {
        guard let storeTime, task.start.timeIntervalSince(storeTime) > ClockEvidence.tolerance else { return }
        let doubt = ClockDoubt.aheadOfServer(server: storeTime, task.start)
        throw Halt(
            .clock, operation: "tell what has expired", place: place, cause: doubt.cause,
            hint: "set the clock that is wrong; the next run goes on")
    }

    private func countKept(_ report: RuleReport) throws(Halt) -> Int64 {
        let rows = try onView { view throws(StoreError) in try view.rowCount(of: task) }
        return settings.dryRun ? rows - (report.expired ?? 0) : rows
    }

    /// Throws when a guard holds the rule. Returns what a confirmation lets through; nil when none was needed.
    private func passGuard(
        _ report: inout RuleReport, by memory: GuardMemory? = nil
    ) throws(Halt) -> HeldRule? {
        let share = ShareGuard(
            task: task, place: place, memory: memory ?? settings.memory, isDry: settings.dryRun,
            isPlan: settings.dryRun && settings.showsAges, program: settings.program)
        guard let expired = report.expired, share.mayHold(expired) else { return nil }
        let counted = report.forecast?.ages.rows
        switch try onView({ view throws(StoreError) in try share.judge(expired, of: counted, on: view) }) {
        case .goes: return nil
        case .goesAsConfirmed(let seen): return seen
        case .isHeld(let seen, let text):
            report.held = seen
            if settings.countsKept { report.kept = seen.rows }
            throw Halt(
                .hold, operation: "run rule \(task.rule.name)", place: place, cause: text.cause,
                hint: text.hint(for: task.rule.name))
        }
    }

    private func delete(since begin: Duration, into report: inout RuleReport) throws(Halt) {
        let worker = try patience.keepTrying { () throws(StoreError) in try store.openWorker(control) }
        defer { worker.close() }
        // For a confirmed deletion, the ledger records which rows are left.
        let isCovered = settings.holds != nil && settings.memory.confirmed[task.rule.name] != nil
        let (census, accessPath, rows) = try patience.keepTrying { () throws(StoreError) in
            try worker.begin(task, accessPath: settings.accessPath, tellsRows: isCovered)
        }
        report.add(census)
        let confirmed = try passGuard(&report)
        guard census.expired > 0 else { return }
        let rest = try beginCovered(confirmed, of: rows, &report)
        report.accessPath = accessPath
        emit(.ruleStarted(task, expired: census.expired, accessPath: accessPath))

        let counted = settings.monotonic()
        var batches = BatchLoop(
            on: worker, isQuiet: task.rule.isQuiet, rate: store.definition.maxRowsPerSecond,
            settings: settings, control: control, onWait: onWait, onBurden: onBurden)
        while let batch = try batches.next(
            unless: { () throws(Halt) in try checkMayGoOn(since: begin) },
            { size, _ throws(StoreError) in
                try worker.deleteBatch(rows: size)
            })
        {
            report.add(batch)
            report.duration = batches.freed - begin
            report.deleting = batches.settled - counted
            if let gone = batch.fingerprint, gone.rows > 0 {
                try faults { () throws(StoreError) in try rest?.take(gone) }
            }
            if batch.work.visited > 0 { emit(.batchCommitted(report, batch)) }
            // Rows that expired after the count are for the next run, whose guards see them.
            if report.deleted >= census.expired { return settle(batches) }
            if !batch.isLast, let slow = batches.slowRowsOnly {
                throw Halt(
                    try patience.keepTrying { () throws(StoreError) in
                        try worker.failureOfSlowRows(slow)
                    })
            }
        }
        settle(batches)
        // Less was deleted than was counted. That is done only if the other rows are not there any more.
        if let reason = try patience.keepTrying({ () throws(StoreError) in try worker.shortfall() }) {
            throw Halt(reason)
        }
    }

    private func settle(_ batches: BatchLoop) { if !isLast { batches.settle() } }

    private func checkMayGoOn(since begin: Duration) throws(Halt) {
        if let reason = control.stopReason {
            throw .stopRequested(reason, during: RuleReport.operation(task.rule.name), at: place)
        }
        if let doubt = clock.doubt { throw .clockDoubted(doubt, at: place, program: settings.program) }
        try checkHours()
        if let longest = task.rule.maxRun,
            (settings.monotonic() - begin).seconds >= longest.approximateSeconds
        {
            throw .limitMet("its run has taken \(longest) (max_run)", by: task.rule.name, at: place)
        }
    }

    private func checkHours() throws(Halt) {
        guard let hours = task.rule.between, clock.isOver(task) else { return }
        throw .limitMet("its hours end at \(hours.endText) (between)", by: task.rule.name, at: place)
    }

    /// Begins to record which of `rows` are left of the deletion that was `confirmed`.
    ///
    /// Nil when no guard would have held the rule. Then its confirmation is forgotten: it was for other rows, and would
    /// let further rows through later. If the record cannot be written, the deletion must not begin. If another run has
    /// used the confirmation since this one read it, the guard judges as if there were none.
    private func beginCovered(
        _ confirmed: HeldRule?, of rows: RowsFingerprint?, _ report: inout RuleReport
    ) throws(Halt) -> (any ConfirmedRest)? {
        let name = task.rule.name
        guard let confirmed else {
            if rows != nil { try faults { () throws(StoreError) in try settings.holds?.forget(name) } }
            return nil
        }
        var rest: (any ConfirmedRest)?
        if let holds = settings.holds, let rows, let hold = settings.memory.confirmed[name] {
            rest = try faults { () throws(StoreError) in
                try holds.begin(name, by: hold, of: rows, at: task.start)
            }
            guard rest != nil else {
                _ = try passGuard(&report, by: settings.memory.unconfirmed(name))
                return nil
            }
        }
        emit(.confirmationTaken(task, confirmed))
        return rest
    }

    private var place: String { store.definition.place }

    private var patience: Patience { Patience(settings: settings, control: control, onWait: onWait) }

    private func onWait(_ error: StoreError) { emit(.waiting(task, error, isLong: false)) }

    private func onBurden(_ error: StoreError) { emit(.waiting(task, error, isLong: true)) }

    private func onView<Result>(
        _ body: (any ViewContext) throws(StoreError) -> Result
    ) throws(Halt) -> Result {
        try patience.keepTrying { () throws(StoreError) in
            let view = try store.openView(control)
            defer { view.close() }
            return try body(view)
        }
    }

    private func faults<Result>(_ body: () throws(StoreError) -> Result) throws(Halt) -> Result {
        do throws(StoreError) { return try body() } catch { throw Halt(error) }
    }
}
