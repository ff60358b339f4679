import Archive
import ArgumentParser
import Dispatch
import FoundationEssentials
import Glibc
import Pruning
import Retention

/// `pruned restore RUN-ID`: puts archived rows back.
struct RestoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Put back what a run deleted by rules with archive = true.",
        discussion: """
            A row that exists now is left as it is. What was put back stays for one keep of its rule, as if it were new.

            Without a run it lists the runs of which the archive has rows, the latest first.

            Examples:
              pruned restore                                    which runs there are
              pruned restore 20261121T084051Z-c62a --dry-run    look first
              pruned restore 20261121T084051Z-c62a --rule read-records
            """)

    @ParentCommand var program: Pruned
    @OptionGroup var common: CommonOptions

    @Argument(
        help: "The run, as its report and the journal name it; without one, the runs are listed.",
        completion: .archivedRun)
    var runID: String?

    @Option(
        name: .long, help: ArgumentHelp("Only what this rule deleted (repeatable).", valueName: "name"),
        completion: .rule)
    var rule: [String] = []

    @Flag(name: .long, help: "Only show what would be put back; write nothing.")
    var dryRun = false

    @Flag(name: .long, help: "Print the report as one JSON object.")
    var json = false

    func validate() throws {
        guard !program.runNow else { throw ValidationError("restore cannot be combined with --run-now.") }
        let others = program.runOptions
        guard others.confirm.isEmpty, !others.trustClock, others.accessPath == nil else {
            throw ValidationError("--confirm and --trust-clock need --run-now.")
        }
    }

    func run() throws {
        ProcessSignals.ignoreUnwanted()
        // If the program has an option of the same name, the parser assigns it to the program.
        let given = program.runOptions
        let (rules, dryRun, json) = (rule + given.rule, dryRun || given.dryRun, json || given.json)
        try Failure.reported { () throws(Failure) in
            guard let runID else {
                guard rules.isEmpty, !dryRun, !json else {
                    throw Failure(
                        .usage, "--rule, --dry-run and --json need a run",
                        hint: "`pruned restore` alone lists the runs")
                }
                return try ArchivedRuns.list(Setup(common))
            }
            let request = Restore.Request(runID: runID, rules: rules, dryRun: dryRun, json: json)
            return try Restore(setup: Setup(common), request: request).execute()
        }
    }
}

/// Puts archived rows of one run back, rule by rule.
struct Restore {
    let setup: Setup
    let request: Request

    /// The request. If it names no rules, all rules of the run are restored.
    struct Request {
        let runID: String
        let rules: [String]
        let dryRun: Bool
        let json: Bool
    }

    func execute() throws(Failure) -> ExitStatus {
        try setup.checkState()
        defer { setup.publisher.finish() }
        let stores = try setup.stores(of: setup.configuration, purpose: "pruned restore")
        let control = RunControl(monotonic: SystemTime.monotonic)
        let sources = ProcessSignals.stop(control)
        defer { sources.forEach { $0.cancel() } }
        let (parts, failures) = try ArchivedRuns.parts(
            ofRun: request.runID, rules: request.rules, in: stores.archives, control)
        // What cannot be read may have been of this run.
        for failure in failures { Failure(failure).report() }
        let settings = RunSettings(
            dryRun: request.dryRun, lockTime: setup.policy.lockTime, monotonic: SystemTime.monotonic)
        let runs = try parts.map { part, archive throws(Failure) in
            (
                RestoreRun(
                    part, into: try store(of: part, stores), leaseEnd: leaseEnd(of: part),
                    settings: settings, control: control), archive
            )
        }
        let reports = RestoreRun.execute(runs.map(\.0)) { run, index in
            let place = stores.place(of: run.store, with: runs[index].1)
            return WorkerProcess.restore(run, at: place, settings, control)
        }
        if !request.dryRun { remember(reports) }
        let text = RestoreText(
            runID: request.runID, isDryRun: request.dryRun, reports: reports,
            timeZone: setup.policy.timeZone, width: StandardStream.output.width)
        try StandardStream.output.write(request.json ? text.json() : text.description)
        let status = ExitStatus(reports)
        return status == .done ? failures.first.map { Failure($0).status } ?? .done : status
    }

    private func remember(_ reports: [RestoreReport]) {
        let initiator = Initiator(.hand, user: setup.caller)
        setup.makeHistoryRecorder().record(
            reports.map { report in
                .restored(
                    report.restored, skipped: report.skipped.values.reduce(0, +), ofRun: request.runID,
                    rule: report.part.rule, at: SystemTime.now, by: initiator)
            })
    }

    private func store(
        of part: ArchivedPart, _ stores: StoreSet
    ) throws(Failure) -> any PrunableStore {
        guard let store = stores.byName[part.store] else {
            throw Failure(
                .configuration,
                "the rows are from store \(part.store), which the configuration does not have",
                hint: "if the store has another name now, name it [store.\(part.store)] again in a copy of"
                    + " the configuration, also in the rules on it, and use --config COPY")
        }
        return store
    }

    /// The end of the lease: the rule's `keep` from now, or its archive period if it has no `keep`, or the default
    /// archive period. It counts from the run that deleted the rows if the clock says an earlier time, so that a clock
    /// set back does not shorten the lease.
    private func leaseEnd(of part: ArchivedPart) -> Date {
        let rule = setup.policy.rule(named: part.rule)
        var period = rule?.archiveKeep ?? RetentionRule.defaultArchiveKeep
        if case .age(_, let keep) = rule?.expiry { period = keep }
        return period.after(max(SystemTime.now, part.archivedAt), in: setup.policy.timeZone)
    }
}

extension ExitStatus {
    /// The exit status of a restore: that of its worst rule.
    init(_ reports: [RestoreReport]) {
        guard let worst = reports.max(by: { $0.outcome < $1.outcome }), let failure = worst.failure else {
            self = .done
            return
        }
        self = worst.outcome == .stopped ? .busy : ExitStatus(failure.kind)
    }
}
