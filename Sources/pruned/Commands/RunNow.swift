import Dispatch
import FoundationEssentials
import Glibc
import Logging
import Pruning
import Retention

/// `pruned --run-now`: one run, due or not.
struct RunNow {
    let setup: Setup
    let options: RunOptions
    let color: ColorChoice

    func execute() throws(Failure) -> ExitStatus {
        let rules = try setup.rules(named: options.rule)
        let confirmed = try confirmedRules(among: rules)
        try setup.checkState()
        let stores = try setup.stores(of: setup.policy, purpose: "pruned --run-now")
        if !options.dryRun { try stores.createMissing() }
        let isAlone = ServicePresence.isSeen(stateDirectory: setup.stateDirectory) != true
        let metrics = options.dryRun ? nil : makeMetrics(stores)
        do throws(Failure) { try stores.refuseMisfits(of: rules) } catch {
            metrics?.show(isConfigurationInForce: isAlone ? false : nil)
            throw error
        }
        metrics?.show(isConfigurationInForce: nil)

        let control = RunControl(monotonic: SystemTime.monotonic)
        let sources = ProcessSignals.stop(control)
        defer { sources.forEach { $0.cancel() } }
        let clockGuard = setup.makeClockGuard()
        if options.trustClock { trust(clockGuard) }
        let batchLockTimes = BatchLockTimes()
        let known = holds.holds()
        let report = run(rules, confirmed, known, stores, clockGuard, control, batchLockTimes, metrics)

        // Neither a full disk nor a full pipe may keep the other from being told.
        let printing = Result { () throws(Failure) in try print(report) }
        defer {
            metrics.map { $0.keep(report, $0.measure(report, batchLockTimes, control), isAlone: isAlone) }
        }
        try remember(report, rules, stores, clockGuard)
        try printing.get()
        remarkOnConfirmations(report, confirmed, known)
        return ExitStatus(report)
    }

    private func makeMetrics(_ stores: StoreSet) -> MetricsKeeper? {
        MetricsKeeper.sayAbandoned(
            by: setup.configuration, stateDirectory: setup.stateDirectory, setup.logger)
        return MetricsKeeper(setup.configuration, stores: stores, setup: setup)
    }

    private func trust(_ clockGuard: ClockGuard) {
        let (now, doubt) = clockGuard.vouch()
        guard !options.dryRun else { return }
        let initiator = setup.initiatorOfRun
        setup.makeHistoryKeeper().keep([.trusted(at: now, against: doubt, by: initiator)])
    }

    private func confirmedRules(among rules: [RetentionRule]) throws(Failure) -> Set<Name> {
        var confirmed: Set<Name> = []
        for text in options.confirm {
            let rule = try setup.rule(named: text)
            guard rules.contains(rule) else {
                throw Failure(
                    .usage, "rule \(rule.name) is confirmed but not selected",
                    hint: "add --rule \(rule.name)")
            }
            confirmed.insert(rule.name)
        }
        return confirmed
    }

    private func run(
        _ rules: [RetentionRule], _ confirmed: Set<Name>, _ known: [Name: Hold], _ stores: StoreSet,
        _ clockGuard: ClockGuard, _ control: RunControl, _ batchLockTimes: BatchLockTimes,
        _ metrics: MetricsKeeper?
    ) -> PruneReport {
        let memory = GuardMemory(
            lastRuns: ledger.lastRuns(of: rules, at: stores.places), holds: known,
            confirmedNow: confirmed)
        var settings = RunSettings(
            dryRun: options.dryRun, presumedEmpty: stores.defaultStore, lockTime: setup.policy.lockTime,
            accessPath: options.accessPath, countsKept: !options.json, showsAges: options.json,
            memory: memory,
            clockGuard: clockGuard, monotonic: SystemTime.monotonic)
        settings.program = setup.program
        settings.holds = holds
        let run = stores.run(rules, settings, control)
        var logger = setup.logger
        if setup.isWatched, logger.logLevel == .info { logger.logLevel = .warning }
        let journal = RunJournal(logger: logger, runID: run.id, news: News())
        let (history, initiator) = (setup.makeHistoryKeeper(), setup.initiatorOfRun)
        let progress = ProgressLine()
        let soFar = RunSoFar(run)
        let timer = WorkTimer(control) { stuck in
            control.requestStop(stuck.stopReason)
            if let rule = stuck.work.rule { WorkTimer.wait { soFar.hasEnded(butFor: rule) } }
            guard let report = soFar.report(of: stuck) else { stuck.fail() }
            // Whoever reads the journal, or does not, keeps nothing from being remembered.
            if !options.dryRun {
                history.keep([.run(report, by: initiator)])
                do throws(Failure) { try remember(report, rules, stores, clockGuard) } catch {
                    error.report()
                }
                metrics?.keep(report, Measurements())
            }
            progress.clear()
            report.rules.last.map { journal.record(.ruleFinished($0)) }
            do throws(Failure) { try print(report) } catch { error.report() }
            _exit(ExitStatus.failed.rawValue)
        }
        defer { timer.cancel() }
        let report = run.execute { event in
            soFar.record(event)
            switch event {
            case .ruleFinished, .reclaimFinished: progress.clear()
            case .confirmationTaken(let task, let seen):
                history.keep(
                    [.confirmed(seen, of: task.rule.name, at: SystemTime.now, in: run.id, by: initiator)])
            case .ruleStarted, .batchCommitted, .waiting, .reclaiming: progress.show(event)
            }
            history.keep(event, run.id, by: initiator)
            journal.record(event)
            batchLockTimes.record(event)
        }
        progress.clear()
        if !options.dryRun { history.keep([.run(report, by: initiator)]) }
        return report
    }

    /// Says which of the confirmations did nothing.
    private func remarkOnConfirmations(_ report: PruneReport, _ confirmed: Set<Name>, _ known: [Name: Hold]) {
        for rule in report.rules where confirmed.contains(rule.rule) {
            switch rule.waitsFor {
            case .archive, .leases:
                setup.logger.notice(
                    "rule \(rule.rule) cannot be confirmed: \(rule.failure?.cause ?? "it is held")",
                    metadata: rule.failure?.hint.map { ["hint": "\($0)"] })
            case nil where rule.outcome == .done && known[rule.rule] == nil:
                setup.logger.notice(
                    "rule \(rule.rule) was not held: there was nothing to confirm",
                    metadata: ["hint": "`\(setup.program) status` says what is held"])
            case nil, .confirmation, .clock, .retry: break
            }
        }
    }

    private var ledger: RunLedger { RunLedger(stateDirectory: setup.stateDirectory) }
    private var holds: HoldLedger { HoldLedger(stateDirectory: setup.stateDirectory) }

    /// A rule that has run need not run again when the service next looks; one that is held may be confirmed.
    private func remember(
        _ report: PruneReport, _ rules: [RetentionRule], _ stores: StoreSet, _ clockGuard: ClockGuard
    ) throws(Failure) {
        guard !report.dryRun else { return }
        let done = report.done(of: rules)
        do {
            try clockGuard.record()
            try ledger.record(done, at: report.startedAt, on: stores.places, reports: report.rules)
            try holds.record(report.rules, at: report.startedAt)
        } catch {
            throw Failure(error)
        }
    }

    private func print(_ report: PruneReport) throws(Failure) {
        let text: String
        do {
            text =
                options.json
                ? try report.json() + "\n"
                : ReportText(
                    report, timeZone: setup.policy.timeZone, style: .of(.output, color)
                ).description
        } catch {
            throw Failure(.failed, "the report cannot be written as JSON: \(error)")
        }
        try StandardStream.output.write(text)
    }
}
