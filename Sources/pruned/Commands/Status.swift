import Foundation
import Pruning
import Retention

/// Looks at everything that there is to know, and changes nothing.
struct Status {
    let common: CommonOptions
    let json: Bool

    func execute() throws(Failure) -> ExitStatus {
        try SystemState.remark(to: common, command: "status")
        let (policy, refusal) = try read()
        let state = try StateReading(directory: Setup.stateDirectory(common))
        let now = SystemTime.now
        let timeZone = policy?.setup.policy.timeZone ?? .current
        var report = StatusReport(
            at: now, timeZone: timeZone, stateDirectory: state.directory,
            deletions: DailyDeletions(state.history, until: now, in: timeZone))
        report.configuration = Setup.configurationFiles(common).main
        report.dropIns = policy?.setup.configuration.files.filter { $0 != report.configuration } ?? []
        report.damaged = state.damage
        report.refusal = refusal.flatMap(\.messages.first).map { .init(reason: $0.what, hint: $0.hint) }
        report.isServing = ServicePresence.isSeen(stateDirectory: state.directory)
        if let policy { look(at: policy.setup, policy.stores, &report) }
        add(state, policy, &report)
        try print(report)
        refusal?.report()
        return refusal?.status ?? worst(report)
    }

    private typealias Policy = (setup: Setup, stores: StoreSet)

    /// A refused configuration is just why one may want to look.
    private func read() throws(Failure) -> (Policy?, refusal: Failure?) {
        do {
            let setup = try Setup(common)
            return ((setup, try setup.stores(of: setup.policy, purpose: "pruned status")), nil)
        } catch {
            guard error.status == .configuration else { throw error }
            try Privileges.assumeOwner(of: Setup.stateDirectory(common))
            return (nil, error)
        }
    }

    private func look(at setup: Setup, _ stores: StoreSet, _ report: inout StatusReport) {
        let control = RunControl(monotonic: SystemTime.monotonic)
        report.stores = setup.policy.stores.compactMap { stores.byName[$0.name] }.map {
            StoreStatus($0, control)
        }
        if stores.archiveStore.exists() { report.stores.append(StoreStatus(stores.archiveStore, control)) }
        let witnesses = ClockWitnesses(rules: setup.policy.rules, stores: stores.byName, control: control)
        report.clockDoubt = setup.makeClockGuard().doubt(of: report.at, witnesses)
        if report.clockDoubt != nil { report.clockCommand = "\(setup.program) --run-now --trust-clock" }
    }

    private func add(_ state: StateReading, _ policy: Policy?, _ report: inout StatusReport) {
        let defined = policy?.setup.policy
        let misfits = policy.map { $0.stores.misfits(of: $0.setup.policy.rules) } ?? []
        let attempts = LastAttempt.byRule(state.history)
        let names = defined?.rules.map(\.name) ?? state.rules
        for name in names {
            let rule = defined?.rule(named: name)
            let evidence = RuleEvidence(
                lastRun: state.lastRuns[name], lastAttempt: attempts[name.description],
                hold: state.holds[name],
                misfit: misfits.first { $0.rule.name == name && $0.error.kind == .schema }?.error,
                isClockDoubted: report.clockDoubt != nil,
                isStoreClaimed: report.stores.contains { $0.name == rule?.store && $0.holder != nil })
            report.rules.append(RuleStatus(name, evidence, in: defined, now: report.at))
            let hold = HoldStatus(
                name, evidence, of: rule, now: report.at, in: report.timeZone,
                program: policy?.setup.program ?? "pruned", isServing: report.isServing ?? false)
            if let hold { report.holds.append(hold) }
        }
    }

    private func print(_ report: StatusReport) throws(Failure) {
        guard json else {
            return try StandardStream.output.write(
                StatusText(report: report, style: .of(.output, common.color)).description)
        }
        let text: String
        do { text = try report.json() + "\n" } catch {
            throw Failure(.failed, "the status cannot be written as JSON: \(error)")
        }
        try StandardStream.output.write(text)
    }

    /// That of the store that a person must look into first.
    private func worst(_ report: StatusReport) -> ExitStatus {
        let statuses = report.stores.compactMap { $0.failure.map { ExitStatus($0.kind) } }
        return [.damaged, .inputOutput, .failed].first(where: statuses.contains) ?? statuses.first ?? .done
    }
}
