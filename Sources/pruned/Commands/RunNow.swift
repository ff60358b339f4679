import Dispatch
import FoundationEssentials
import Glibc
import Ledger
import Logging
import Pruning
import Retention

/// `pruned --run-now`: one run of the rules, due or not.
struct RunNow {
    let setup: Setup
    let options: RunOptions
    let color: ColorChoice

    private static let purpose = "pruned --run-now"

    func execute() throws(Failure) -> ExitStatus {
        let rules = try setup.rules(named: options.rule)
        let confirmed = try confirmedRules(among: rules)
        try setup.checkState()
        setup.publisher.holdBack()
        defer { setup.publisher.finish() }
        let stores =
            try options.dryRun
            ? setup.stores(of: setup.configuration, purpose: Self.purpose)
            : setup.storesToPrune(of: setup.configuration, purpose: Self.purpose)
        if !options.dryRun {
            try stores.createMissing(setup.logger)
            // A damaged ledger is set aside now. A write error is reported at the end.
            try? setup.ledger.prepare()
        }
        let isAlone = ServicePresence.isSeen(stateDirectory: setup.stateDirectory) != true
        let metrics = options.dryRun ? nil : makeMetrics(stores)
        metrics?.show(isConfigurationInForce: nil)

        let control = RunControl(monotonic: SystemTime.monotonic)
        let sources = ProcessSignals.stop(control)
        defer { sources.forEach { $0.cancel() } }
        let clockGuard = setup.makeClockGuard()
        if options.trustClock { trust(clockGuard) }
        let batchLockTimes = BatchLockTimes()
        let known = setup.ledger.readIfPossible(or: [:]) { try $0.holds() }
        let sizes = stores.byName.compactMapValues { $0.diskBytes() }
        let report = run(rules, confirmed, stores, clockGuard, control, batchLockTimes)
        let measured = metrics?.measure(report, batchLockTimes, control) ?? Measurements()

        // A full disk must not prevent the output, and a full pipe must not prevent the record.
        let printing = Result { () throws(Failure) in try print(report, stores, sizes, control) }
        try remember(report, rules, stores, clockGuard) {
            try metrics?.add(report, measured, isAlone: isAlone, to: $0)
        }
        try printing.get()
        remarkOnConfirmations(report, confirmed, known)
        return ExitStatus(report)
    }

    private func makeMetrics(_ stores: StoreSet) -> MetricsWriter? {
        MetricsWriter.sayAbandoned(
            by: setup.configuration, ledger: setup.ledger, setup.logger)
        return MetricsWriter(setup.configuration, stores: stores, setup: setup)
    }

    private func trust(_ clockGuard: ClockGuard) {
        let (now, doubt) = clockGuard.vouch()
        guard !options.dryRun else { return }
        let initiator = setup.initiatorOfRun
        setup.makeHistoryRecorder().record([.trusted(at: now, against: doubt, by: initiator)])
    }

    private func confirmedRules(among rules: [RetentionRule]) throws(Failure) -> Set<Name> {
        var confirmed: Set<Name> = []
        for text in options.confirm {
            for rule in try setup.rules(matching: text) {
                guard rules.contains(rule) else {
                    throw Failure(
                        .usage, "rule \(rule.name) is confirmed but not selected",
                        hint: "add --rule \(rule.name)")
                }
                confirmed.insert(rule.name)
            }
        }
        return confirmed
    }

    private func run(
        _ rules: [RetentionRule], _ confirmed: Set<Name>, _ stores: StoreSet,
        _ clockGuard: ClockGuard, _ control: RunControl, _ batchLockTimes: BatchLockTimes
    ) -> PruneReport {
        let memory = setup.guardMemory(of: rules, at: stores.places, confirmed: confirmed)
        var settings = RunSettings(
            dryRun: options.dryRun, presumedEmpty: stores.defaultStore, lockTime: setup.policy.lockTime,
            workers: setup.policy.workers,
            accessPath: options.accessPath, countsKept: !options.json, showsAges: options.json,
            memory: memory,
            clockGuard: clockGuard, monotonic: SystemTime.monotonic)
        settings.program = setup.program
        settings.holds = setup.ledger
        let run = stores.run(rules, settings, control)
        var logger = setup.logger
        if setup.isWatched, logger.logLevel == .info { logger.logLevel = .warning }
        let progress = ProgressLine()
        let observers: [any RunObserver] = [
            progress,
            RunBeginning(
                history: setup.makeHistoryRecorder(), run: run.id, initiator: setup.initiatorOfRun,
                confirmed: confirmed),
            RunJournal(logger: logger, runID: run.id, filter: RepeatFilter()),
            ProgressRecording(in: setup.ledger), batchLockTimes,
        ]
        let report = run.execute(observedBy: observers)
        progress.clear()
        return options.dryRun ? stores.hinted(report) : report
    }

    /// Logs which of the confirmations had no effect.
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
            case nil, .confirmation, .clock, .retry, .nextRun: break
            }
        }
    }

    /// Records the run. The service does not repeat completed rules before they are due again, and a person can confirm
    /// held ones.
    private func remember(
        _ report: PruneReport, _ rules: [RetentionRule], _ stores: StoreSet, _ clockGuard: ClockGuard,
        _ more: (LedgerTables) throws -> Void
    ) throws(Failure) {
        guard !report.dryRun else { return }
        do throws(StoreError) {
            try setup.ledger.write("remember the run") { tables in
                try tables.remember(report, of: rules, on: stores.places, by: clockGuard)
                try tables.append([.run(report, by: setup.initiatorOfRun)])
                try more(tables)
            }
        } catch {
            // Another user than the owner of the state directory may prune shared stores, but not write the ledger.
            guard setup.ledger.isOwn != false else { return setup.logger.error(error) }
            throw Failure(error)
        }
    }

    /// `sizes` are those of the stores before the run. `control` is for a last look at these, for people.
    private func print(
        _ report: PruneReport, _ stores: StoreSet, _ sizes: [Name: Int64], _ control: RunControl
    ) throws(Failure) {
        let style = TextStyle.of(.output, color)
        let isSeen = style.isScreen && !options.json && !report.dryRun
        let closings =
            isSeen
            ? StoreClosing.all(of: report, on: stores, sizes, setup.policy, control: control)
            : []
        let text: String
        do {
            text =
                options.json
                ? try report.json() + "\n"
                : ReportText(report, closings, timeZone: setup.policy.timeZone, style: style).description
        } catch {
            throw Failure(.failed, "the report cannot be written as JSON: \(error)")
        }
        try StandardStream.output.write(text)
    }
}
