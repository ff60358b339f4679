import ArgumentParser
import FoundationEssentials
import Ledger
import PolicyFile
import Pruning
import Retention

/// `pruned status`: shows the state of rules, holds and stores.
struct StatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show the last and next run of each rule, holds, stores and deleted rows; changes nothing.",
        discussion: """
            Times are in the policy's time zone. It works whether or not the service runs, and shows what it can while the \
            configuration is refused or a store cannot be read. The exit status is that of the worst it shows: \
            configuration refused 78; a store damaged 65, or not to be read 74; a rule failed or unfit 1, skipped, \
            stopped or interrupted 75, held 3; else 0.
            """)

    @ParentCommand var program: Pruned
    @OptionGroup var common: CommonOptions

    @Flag(name: .long, help: "Print the status as one JSON object.")
    var json = false

    @Flag(name: .long, help: ScreenLength.help)
    var all = false

    func validate() throws {
        try program.refuseRunOptions(of: "status", butSelection: true)
        guard program.runOptions.rule.isEmpty else {
            throw ValidationError("status cannot be combined with --rule: it shows all rules.")
        }
    }

    func run() throws {
        ProcessSignals.ignoreUnwanted()
        try Failure.reported { () throws(Failure) in
            try Status(common: common, all: all, json: json || program.runOptions.json).execute()
        }
    }
}

/// Collects the status, and changes nothing.
struct Status {
    let common: CommonOptions
    /// Whether to show all stores and rules, however many there are.
    let all: Bool
    let json: Bool

    func execute() throws(Failure) -> ExitStatus {
        try SystemState.remark(to: common, command: "status")
        // Before root becomes the owner of the directory: the owner has other default paths.
        let (directory, file) = (try Setup.stateDirectory(common), try Setup.configurationFiles(common).main)
        let ledger = Ledger(stateDirectory: directory)
        let published = try ledger.isClosed ? PublishedStatus(in: directory) : nil
        let isServing =
            published.map(\.isServing) ?? ServicePresence.isSeen(stateDirectory: directory)
        let service = isServing == true ? ledger.readIfPossible(or: nil) { try $0.serviceRecord() } : nil
        let found = try find(service.flatMap { PolicyInForce($0) }, directory)
        let (policy, refusal, inForce) = (found.policy, found.refusal, found.inForce)
        let now = SystemTime.now
        let timeZone = policy?.setup.policy.timeZone ?? .current
        let state =
            if let published { published.records } else { try read(ledger, until: now, in: timeZone) }
        var report = StatusReport(
            at: now, timeZone: timeZone, stateDirectory: directory, deletions: state.deletions)
        report.publishedAt = published?.at
        report.configuration = file
        report.dropIns = found.files.filter { $0 != file }
        report.damaged = [state.damage].compactMap(\.self)
        report.refusal =
            refusal.flatMap(\.messages.first).map { .init(reason: $0.what, hint: $0.hint) }
            ?? inForce?.refusal.map { .init(reason: $0.reason, hint: $0.hint) }
        report.inForceSince = inForce?.since
        report.isServing = isServing
        report.remarks = policy?.setup.configuration.familyRemarks ?? []
        let misfits = policy.map { look(at: $0.setup, $0.stores, &report) } ?? []
        report.add(
            state, of: policy?.setup.policy, at: policy?.stores.places ?? [:],
            program: policy?.setup.program ?? "pruned", misfits: misfits)
        try print(report)
        refusal?.report()
        return ExitStatus(report)
    }

    private func read(_ ledger: Ledger, until now: Date, in timeZone: Zone) throws(Failure) -> StateReading {
        do throws(StoreError) { return try StateReading(ledger, until: now, in: timeZone) } catch {
            throw Failure(error)
        }
    }

    private typealias Policy = (setup: Setup, stores: StoreSet)

    /// The policy to show.
    private struct Found {
        /// Nil when the configuration is refused and no service works by another one.
        var policy: Policy?
        /// The configuration files.
        var files: [String] = []
        /// Why the configuration is refused.
        var refusal: Failure?
        /// The policy in force in the service, if it is a different one.
        var inForce: PolicyInForce?
    }

    /// Works with a refused configuration, which may be the reason to look at the status.
    private func find(_ inForce: PolicyInForce?, _ directory: String) throws(Failure) -> Found {
        do {
            let setup = try Setup(common)
            let other = inForce.flatMap { $0.isOther(than: setup) ? $0 : nil }
            let policy = try withStores(
                other.map { setup.working(by: $0.configuration.knowingSecrets(of: setup.configuration)) }
                    ?? setup)
            return Found(policy: policy, files: setup.configuration.files, inForce: other)
        } catch {
            guard error.status == .configuration else { throw error }
            if let inForce {
                let setup = try Setup(common, inForce: inForce.configuration)
                return Found(policy: try withStores(setup), refusal: error, inForce: inForce)
            }
            try Privileges.assumeOwner(of: directory)
            return Found(refusal: error)
        }
    }

    private func withStores(_ setup: Setup) throws(Failure) -> Policy {
        (setup, try setup.stores(of: setup.configuration, purpose: "pruned status"))
    }

    /// Looks at the stores and at the clock. Returns which rules do not fit their stores.
    private func look(
        at setup: Setup, _ stores: StoreSet, _ report: inout StatusReport
    ) -> [StoreSet.Misfit] {
        let control = RunControl(monotonic: SystemTime.monotonic)
        let fits = stores.statuses()
        report.stores = setup.policy.stores.compactMap { stores.byName[$0.name]?.definition }.map { store in
            let fit = fits[store.name] ?? StoreFit()
            return fit.store.map { StoreStatus(of: store, $0) }
                ?? StoreStatus(of: store, lost: fit.access ?? .unanswered(by: store))
        }
        // The rest is its owner's alone.
        guard !setup.ledger.isClosed else { return stores.misfits(of: setup.policy.rules, fits) }
        let archives = setup.policy.stores.compactMap { store in
            fits[store.name]?.archive.map { look in
                let path = stores.archives.file(of: store.name).path
                return StoreStatus(of: StoreDefinition(name: ArchivePruning.name, path: path), look)
            }
        }
        let all = archives + stores.archives.otherStatuses(control)
        StoreStatus(all, in: setup.stateDirectory + "/archive").map { report.stores.append($0) }
        let witnesses = ClockWitnesses(rules: setup.policy.rules, control, ask: stores.newestTimes)
        report.clockDoubt = setup.makeClockGuard().doubt(of: report.at, witnesses)
        if report.clockDoubt != nil { report.clockCommand = "\(setup.program) --run-now --trust-clock" }
        return stores.misfits(of: setup.policy.rules, fits)
    }

    private func print(_ report: StatusReport) throws(Failure) {
        guard json else {
            return try StandardStream.output.write(
                StatusText(
                    report: report,
                    length: ScreenLength(
                        ofStores: Set(report.stores.map { $0.name.family ?? $0.name }).count, all: all),
                    style: .of(.output, common.color)
                ).description)
        }
        let text: String
        do { text = try report.json() + "\n" } catch {
            throw Failure(.failed, "the status cannot be written as JSON: \(error)")
        }
        try StandardStream.output.write(text)
    }
}

/// The policy in force in the service, from the service's record.
struct PolicyInForce {
    let configuration: Configuration
    /// When the service read the configuration.
    let since: Date
    /// Why the service refused a configuration that it read since; nil when it did not.
    let refusal: ServiceRecord.Refusal?
    /// The service's system time zone.
    private let timeZone: Zone

    /// Nil when the record cannot be parsed, for example because another version wrote it.
    init?(_ record: ServiceRecord) {
        let zone = ZoneDirectory.system.zone(named: record.timeZone) ?? Zone(rules: record.timeZone)
        guard let timeZone = zone,
            let configuration = try? Configuration(rendered: record.policy, systemTimeZone: timeZone)
        else { return nil }
        self.configuration = configuration
        self.timeZone = timeZone
        since = record.readAt
        refusal = record.refusal
    }

    /// Whether the files now contain another policy. If they name no time zone, the service uses its system's, which
    /// may differ from the caller's.
    func isOther(than setup: Setup) -> Bool {
        guard !isSame(setup.policy) else { return false }
        guard timeZone != .current,
            let again = try? Setup.readConfiguration(
                setup.configurationFiles, stateDirectory: setup.stateDirectory, systemTimeZone: timeZone)
        else { return true }
        return !isSame(setup.search.expanded(again).policy)
    }

    /// What is new in a family, or gone, is no change of the files.
    private func isSame(_ policy: RetentionPolicy) -> Bool {
        configuration.policy.withMembers(of: policy)
            == policy.withMembers(of: configuration.policy).withoutSecrets
    }
}
