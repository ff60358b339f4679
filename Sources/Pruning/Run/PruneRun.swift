import FoundationEssentials
import Retention
import Synchronization

/// One execution of one or more rules, started by a timer or by `--run-now`.
///
/// Stores are pruned in parallel, so many at once, but those of one database one after the other, and within a store
/// everything is sequential. A run returns a report and throws nothing: a rule's error is in that rule's report, and the
/// other rules continue.
package struct PruneRun: Sendable {
    /// Identifies the run.
    package let id: RunID
    /// When the run begins. All cutoffs are computed from this instant.
    package let startedAt: Date
    private let timeZone: Zone
    private let tasks: [PruneTask]
    private let stores: [Name: any PrunableStore]
    private let settings: RunSettings
    private let control: RunControl

    /// A run of `rules`, in their order, with cutoffs computed from `startedAt`. `stores` must contain every rule's
    /// store.
    package init(
        id: RunID, startedAt: Date, rules: [RetentionRule], timeZone: Zone,
        stores: [Name: any PrunableStore], settings: RunSettings, control: RunControl
    ) {
        self.id = id
        self.startedAt = startedAt
        self.stores = stores
        self.settings = settings
        self.control = control
        self.timeZone = timeZone
        tasks = rules.map { rule in
            var task = Self.task(of: rule, in: id, startedAt, timeZone)
            let hours = settings.keepsHours ? rule.between?.period(at: startedAt, in: timeZone) : nil
            // A run that a person let begin at another time is as long as it needs.
            task.closes = hours.flatMap { $0.opens <= startedAt ? $0.closes : nil }
            return task
        }
    }

    private static func task(
        of rule: RetentionRule, in id: RunID, _ start: Date, _ timeZone: Zone
    ) -> PruneTask {
        var task = PruneTask(rule, start: start, in: timeZone)
        task.runID = id
        return task
    }

    /// Whether this is a dry run, which deletes nothing.
    package var isDry: Bool { settings.dryRun }
    /// The rules to run, in running order.
    package var rules: [RetentionRule] { tasks.map(\.rule) }

    /// The task of `rule` in this run. `rule` need not be one that is about to run.
    package func task(of rule: RetentionRule) -> PruneTask {
        Self.task(of: rule, in: id, startedAt, timeZone)
    }

    /// Runs all rules and returns when every rule has ended. Calls `emit` from the worker threads, as events happen.
    package func execute(_ emit: @escaping @Sendable (PruneEvent) -> Void) -> PruneReport {
        let begin = settings.monotonic()
        if let doubt = clockDoubt() {
            let reports = tasks.map { hold($0, doubt, emit) }
            return PruneReport(
                runID: id, startedAt: startedAt, duration: settings.monotonic() - begin,
                dryRun: settings.dryRun, rules: reports)
        }
        // Before the rules run, so that a concurrent process sees it. A write error is reported at the end.
        if !settings.dryRun { try? settings.clockGuard?.record() }
        let clock = RunClock(settings.clockGuard, startedAt: startedAt)
        let finished = Mutex(
            (
                rules: [Name: RuleReport](), archived: [RuleReport](), reclaims: [ReclaimReport](),
                remarks: [StoreRemark](), sizes: [SizeRecord]()
            ))
        let byStore = Dictionary(grouping: tasks, by: \.rule.store)
        let runs = byStore.sorted { $0.key < $1.key }.compactMap { name, tasks in
            stores[name].map {
                StoreRun(
                    store: $0, tasks: tasks, settings: settings, clock: clock, control: control, emit: emit)
            }
        }
        perform(runs) { store, reports in
            finished.withLock { all in
                for report in reports.rules { all.rules[report.rule] = report }
                all.archived += reports.archived
                if let reclaim = reports.reclaim { all.reclaims.append(reclaim) }
                all.remarks += reports.remarks
                if let space = reports.space { all.sizes.append(SizeRecord(store, space)) }
            }
        }
        let (byRule, archives, reclaims, remarks, sizes) = finished.withLock { $0 }
        let archived = merged(archives + pruneAbandonedArchives(clock))
        for report in archived { emit(.ruleFinished(report)) }
        return PruneReport(
            runID: id, startedAt: startedAt, duration: settings.monotonic() - begin,
            dryRun: settings.dryRun, rules: tasks.compactMap { byRule[$0.rule.name] } + archived,
            reclaims: reclaims.sorted { $0.store < $1.store },
            remarks: remarks.sorted { $0.store < $1.store },
            sizes: sizes.sorted { $0.store < $1.store })
    }

    /// Performs `runs`, those of one database one after the other, and returns when all have ended. Calls `finish` from the
    /// worker threads.
    private func perform(
        _ runs: [StoreRun], _ finish: @escaping @Sendable (Name, StoreRun.Reports) -> Void
    ) {
        let ofPlaces = Dictionary(grouping: runs, by: \.store.definition.place)
        let works = ofPlaces.values.sorted { $0[0].store.definition.name < $1[0].store.definition.name }
        WorkerPlaces(workers: settings.workers).perform(works, settings.monotonic) { ofPlace in
            for run in ofPlace { finish(run.store.definition.name, run.settings.execute(run)) }
        }
    }

    /// Those of stores that the policy no longer has still expire.
    private func pruneAbandonedArchives(_ clock: RunClock) -> [RuleReport] {
        guard !settings.dryRun else { return [] }
        return settings.abandonedArchives.flatMap { archive -> [RuleReport] in
            guard control.stopReason == nil else { return [] }
            let run = StoreRun(
                store: archive, tasks: ArchivePruning.tasks(at: startedAt), settings: settings, clock: clock,
                control: control
            ) { _ in }
            return settings.execute(run).rules
        }
    }

    /// One report for each rule on archives, of which there may be hundreds. Reported only when something was deleted or
    /// failed: archives are often busy, because rows go into them.
    private func merged(_ archived: [RuleReport]) -> [RuleReport] {
        let ofInterest = archived.filter { $0.deleted > 0 || $0.outcome == .failed }
        return ArchivePruning.ruleNames.compactMap { name in
            let reports = ofInterest.filter { $0.rule == name }.sorted {
                ($0.failure?.place ?? "") < ($1.failure?.place ?? "")
            }
            guard var sum = reports.first(where: { $0.outcome == .failed }) ?? reports.first else {
                return nil
            }
            sum.deleted = reports.map(\.deleted).reduce(0, +)
            sum.expired = reports.compactMap(\.expired).reduce(0, +)
            sum.dependentsDeleted = reports.map(\.dependentsDeleted).reduce(0, +)
            sum.batches = reports.map(\.batches).reduce(0, +)
            sum.longestBatch = reports.map(\.longestBatch).max() ?? .zero
            sum.duration = reports.map(\.duration).reduce(.zero, +)
            sum.deleting = reports.map(\.deleting).reduce(.zero, +)
            return sum
        }
    }

    private func clockDoubt() -> ClockDoubt? {
        let witnesses = ClockWitnesses(
            rules: settings.witnesses, control,
            ask: settings.ask ?? { [stores] rules, date, control in
                rules.reduce(into: [:]) { times, own in
                    times[own.key] = stores[own.key].flatMap {
                        ClockWitnesses.newestTimes(of: own.value, in: $0, notAfter: date, control)
                    }
                }
            })
        return settings.clockGuard?.doubt(of: startedAt, witnesses)
    }

    private func hold(
        _ task: PruneTask, _ doubt: ClockDoubt, _ emit: (PruneEvent) -> Void
    ) -> RuleReport {
        let place = stores[task.rule.store]?.definition.place ?? ""
        let report = RuleReport(
            task, halted: .clockDoubted(doubt, at: place, program: settings.program),
            stopReason: control.stopReason)
        emit(.ruleFinished(report))
        return report
    }
}
