import Dispatch
import FoundationEssentials
import Glibc
import Ledger
import Pruning
import Retention
import Systemd

/// Starts runs and processes their results.
extension Daemon {
    /// How long a rule rests when its store was busy, and when it failed or is held. Never longer than the rule's own
    /// interval.
    private static let restWhenBusy: TimeInterval = 15
    static let restWhenFailed: TimeInterval = 600
    /// How long all rules rest while the clock is not believed. Checking the clock is cheap.
    private static let restWhenClockIsDoubted: TimeInterval = 10

    /// Schedules all rules. Held rules count as due, no matter which run held them: a person may have confirmed one,
    /// and a confirmation is valid only for a cutoff on the same day.
    func schedule(_ state: inout State) {
        let (rules, places) = (state.plan.policy.rules, state.plan.stores.places)
        let (dates, holds) = ledger.readIfPossible(or: ([:], [:])) { tables in
            try (tables.lastDates(of: rules, at: places), tables.holds())
        }
        let overdue = state.requested.union(holds.keys)
        let lastRuns = dates.filter { !overdue.contains($0.key) }
        let confirmed = holds.filter { $0.value.confirmedAt != nil && $0.value.begun == nil }.keys
        state.plan.scheduler.plan(
            lastRuns: lastRuns, notBefore: state.notBefore, atAnyTime: state.atAnyTime.union(confirmed),
            now: SystemTime.now)
    }

    /// Reschedules first, because a run by hand may have completed a planned rule. Or the clock may have been set back
    /// just when a timer fired, and nothing would arm that timer again. During a run, the end of the run reschedules.
    func wakeUp(_ state: inout State) {
        guard !state.isLooking, !state.isReloading else { return }
        let status = statusText(state)
        if state.running.isEmpty { schedule(&state) }
        startDueRuns(&state)
        let isNew = state.running.isEmpty && statusText(state) != status
        if isNew { notifier.notify([.status(statusText(state))]) }
    }

    func startDueRuns(_ state: inout State) {
        guard state.mayBegin else { return }
        let rules = state.plan.scheduler.dueRules(at: SystemTime.now).filter {
            state.running[$0.store] == nil
        }
        let places = state.plan.stores.places
        /// Whether another store at the same place, such as another user's tables in a database, is being pruned.
        func isTaken(_ store: Name) -> Bool { state.running.keys.contains { places[$0] == places[store] } }
        // After the one that came last, so that each has its turn.
        let last = state.started
        let due = Dictionary(grouping: rules, by: \.store).sorted {
            guard let last, ($0.key > last) != ($1.key > last) else { return $0.key < $1.key }
            return $0.key > last
        }
        for (store, rules) in due {
            guard !isTaken(store) else { continue }
            if let wait = state.places.wait(at: SystemTime.monotonic()) {
                return startLater(after: wait, &state)
            }
            state.started = store
            start(rules, on: store, &state)
        }
    }

    /// Looks again for due runs once a worker no longer counts. The end of one looks, too.
    private func startLater(after wait: Duration, _ state: inout State) {
        guard !state.waitsForPlace else { return }
        state.waitsForPlace = true
        queue.asyncAfter(deadline: .now() + wait.seconds) {
            self.change { state in
                state.waitsForPlace = false
                self.startDueRuns(&state)
            }
        }
    }

    private func start(_ rules: [RetentionRule], on store: Name, _ state: inout State) {
        let control = RunControl(monotonic: SystemTime.monotonic)
        state.running[store] = control
        notifier.notify([.status(statusText(state))])
        let requested = state.requested.intersection(rules.map(\.name))
        state.requested.subtract(requested)
        state.atAnyTime.subtract(rules.map(\.name))
        let (plan, stores) = (state.plan, state.plan.stores)
        let memory = setup.guardMemory(of: rules, at: stores.places)
        let run = state.plan.run(
            rules, memory: memory, holds: ledger, clockGuard: clockGuard, control: control)
        let (metrics, batchLockTimes) = (state.plan.metrics, BatchLockTimes())
        let observers: [any RunObserver] = [
            RunBeginning(history: history, run: run.id, initiator: initiator),
            RunJournal(logger: logger, runID: run.id, filter: filter), StatusProgress(notifier: notifier),
            ProgressRecording(in: ledger), batchLockTimes,
        ]
        let worker = state.places.begin(at: SystemTime.monotonic())
        DispatchQueue(label: "pruned.run.\(store)").async {
            let report = run.execute(observedBy: observers)
            let measured = metrics?.measure(report, batchLockTimes, control) ?? Measurements()
            // At once: an app of the group that comes back could not make its log there again.
            let isMoved = stores.olderDefaultStore == store && plan.moveDefaultStore(sayingAt: .debug)
            self.queue.async {
                self.change { state in
                    state.places.end(worker)
                    if isMoved { state.plan = state.plan.reopened(for: self.setup) }
                    self.finish(report, measured, store, rules, stores.places, requested, &state)
                }
            }
        }
    }

    private func finish(
        _ report: PruneReport, _ measured: Measurements, _ store: Name, _ rules: [RetentionRule],
        _ places: [Name: String], _ requested: Set<Name>, _ state: inout State
    ) {
        state.running[store] = nil
        let now = SystemTime.now
        // The configuration may have been read again meanwhile, and no longer have the rule.
        for rule in rules {
            guard let result = report.rule(named: rule.name),
                let current = state.plan.policy.rule(named: rule.name),
                RuleText(rule).judgesRows(like: current)
            else { continue }
            let isClockDoubted = result.failure?.kind == .clock
            state.clockDoubt = isClockDoubted ? result.failure?.cause : nil
            state.record.troubles[rule.name.description] = RuleTrouble(result)
            // With a wrong clock, it is unknown whether a rule is due. Once the clock is right, all these rules run.
            if isClockDoubted || result.outcome != .done && !result.metLimit && requested.contains(rule.name)
            {
                state.requested.insert(rule.name)
            }
            let isSlow = result.outcome == .failed || result.outcome == .held && !isClockDoubted
            let rest = isSlow ? Self.restWhenFailed : Self.restWhenBusy
            state.notBefore[rule.name] =
                if result.metLimit {
                    RunSchedule.turn(
                        of: rule, after: report.startedAt, until: now, in: state.plan.policy.timeZone)
                } else if result.outcome == .done {
                    nil
                } else {
                    now.addingTimeInterval(min(rest, rule.every.approximateSeconds))
                }
        }
        let isBegun = history.end(report.runID)
        let entries = state.digest.entries(after: report, isBegun: isBegun, at: SystemTime.monotonic())
        remember(report, measured, entries, rules, places, &state)
        runConfirmed(since: report, &state)
        if state.isStopping {
            if state.running.isEmpty { ended.signal() }
            return
        }
        schedule(&state)
        startDueRuns(&state)
        notifier.notify([.status(statusText(state))])
        if state.running.isEmpty { FreeMemory.giveBack() }
        if state.clockDoubt != nil, !state.looksAtClockAgain {
            state.looksAtClockAgain = true
            lookAtClockAgain()
        }
    }

    /// A person may have confirmed a rule while the run that holds it again was judging it.
    private func runConfirmed(since report: PruneReport, _ state: inout State) {
        let held = report.rules.filter { $0.held != nil }.map(\.rule)
        guard !held.isEmpty else { return }
        let holds = ledger.readIfPossible(or: [:]) { try $0.holds() }
        for rule in held where holds[rule]?.confirmedAt.map({ $0 >= report.startedAt }) ?? false {
            state.notBefore[rule] = nil
        }
    }

    /// Wakes up at intervals even if nothing is due: a person may have confirmed the hold of a run by hand, and the
    /// signal that says so may have found no way.
    func lookForHoldsAgain() {
        queue.asyncAfter(deadline: .now() + Self.restWhenFailed) { [weak self] in
            self?.change { self?.wakeUp(&$0) }
            self?.lookForHoldsAgain()
        }
    }

    /// Uses a monotonic timer: a timer on a wrong wall clock may be years away once the clock is corrected.
    private func lookAtClockAgain() {
        queue.asyncAfter(deadline: .now() + Self.restWhenClockIsDoubted) {
            self.change { state in
                state.looksAtClockAgain = false
                // If a run is in progress, its end decides what comes next.
                guard state.clockDoubt != nil, state.running.isEmpty else { return }
                state.notBefore = [:]
                self.wakeUp(&state)
            }
        }
    }

    /// Records what a run did, and the state that follows from it, in one transaction.
    func remember(
        _ report: PruneReport, _ measured: Measurements, _ entries: [HistoryEntry],
        _ rules: [RetentionRule], _ places: [Name: String], _ state: inout State
    ) {
        let announced = filter.holds.announcements(of: report.rules)
        let (metrics, record, written) = (state.plan.metrics, state.record, state.written)
        do {
            try ledger.write("remember the run") { tables in
                try tables.remember(report, of: rules, on: places, announced: announced, by: clockGuard)
                try tables.append(entries)
                try metrics?.add(report, measured, to: tables)
                if record != written { try tables.setServiceRecord(record) }
            }
            state.written = record
            recordTrouble.withLock { $0 = nil }
        } catch {
            say(error)
            rest(rules, after: report, &state)
        }
    }

    /// If the ledger cannot be written, done rules rest for their interval in memory. Otherwise they would run without
    /// end on a full disk.
    func rest(_ rules: [RetentionRule], after report: PruneReport, _ state: inout State) {
        for rule in report.done(of: rules) {
            state.notBefore[rule.name] = rule.every.after(
                report.startedAt, in: state.plan.policy.timeZone)
        }
    }
}
