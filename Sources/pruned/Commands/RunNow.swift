import Foundation
import Logging
import Pruning
import Retention

/// `pruned --run-now`: one run, due or not.
struct RunNow {
    let setup: Setup
    let options: RunOptions

    func execute() throws(Failure) -> ExitStatus {
        let rules = try selectedRules()
        let stores = try setup.stores(of: setup.policy, purpose: "pruned --run-now")
        if !options.dryRun { try stores.createMissing() }
        try stores.refuseMisfits(of: rules)

        let control = RunControl(monotonic: SystemTime.monotonic)
        let sources = stopOnSignal(control)
        defer { sources.forEach { $0.cancel() } }
        let clockGuard = setup.makeClockGuard()
        if options.trustClock { clockGuard.vouch() }
        let report = run(rules, stores, clockGuard, control)

        // Neither a full disk nor a full pipe may keep the other from being told.
        let printing = Result { () throws(Failure) in try print(report) }
        try remember(report, clockGuard)
        try printing.get()
        return ExitStatus(report)
    }

    private func selectedRules() throws(Failure) -> [RetentionRule] {
        guard !options.rule.isEmpty else { return setup.policy.rules }
        for text in options.rule where Name(text).flatMap(setup.policy.rule(named:)) == nil {
            throw Failure(
                .usage, "there is no rule \"\(text)\"",
                hint: "the rules are " + setup.policy.rules.map(\.name.description).joined(separator: ", "))
        }
        return setup.policy.rules.filter { options.rule.contains($0.name.description) }
    }

    private func run(
        _ rules: [RetentionRule], _ stores: StoreSet, _ clockGuard: ClockGuard, _ control: RunControl
    ) -> PruneReport {
        let settings = RunSettings(
            dryRun: options.dryRun, presumedEmpty: stores.defaultStore, batchHold: setup.policy.batchHold,
            plan: options.plan, countsKept: !options.json, clockGuard: clockGuard,
            monotonic: SystemTime.monotonic)
        let run = stores.run(rules, settings, control)
        var logger = setup.logger
        if setup.isWatched, logger.logLevel == .info { logger.logLevel = .warning }
        let journal = RunJournal(logger: logger, runID: run.id, news: News())
        let progress = ProgressLine()
        let report = run.execute { event in
            switch event {
            case .ruleFinished, .reclaimFinished: progress.clear()
            case .ruleStarted, .batchCommitted, .waiting, .reclaiming: progress.show(event)
            }
            journal.record(event)
        }
        progress.clear()
        return report
    }

    /// The first signal ends the run after the batch in hand, the second ends the process.
    private func stopOnSignal(_ control: RunControl) -> [any DispatchSourceSignal] {
        ProcessSignals.handle([SIGTERM, SIGINT], on: DispatchQueue(label: "pruned.signals")) { number in
            guard control.stopReason == nil else { _exit(128 + number) }
            control.requestStop("stopped by \(ProcessSignals.name(number))")
        }
    }

    /// A rule that has run need not run again when the service next looks.
    private func remember(_ report: PruneReport, _ clockGuard: ClockGuard) throws(Failure) {
        guard !report.dryRun else { return }
        let done = report.rules.filter { $0.outcome == .done }.map(\.rule)
        do {
            try clockGuard.record()
            try RunLedger(stateDirectory: setup.stateDirectory).record(done, at: report.startedAt)
        } catch {
            throw Failure(error)
        }
    }

    private func print(_ report: PruneReport) throws(Failure) {
        let text: String
        do {
            text =
                options.json
                ? try report.json() + "\n" : ReportText(report, timeZone: setup.policy.timeZone).description
        } catch {
            throw Failure(.failed, "the report cannot be written as JSON: \(error)")
        }
        try StandardStream.output.write(text)
    }
}
