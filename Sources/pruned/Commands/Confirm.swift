import ArgumentParser
import DefaultStore
import FoundationEssentials
import Glibc
import Ledger
import Pruning
import Retention
import TerminalText

/// `pruned confirm RULE`: lets the service, or the next run, delete what a guard holds.
struct ConfirmCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "confirm",
        abstract: "Confirm a held rule: let the service delete its rows, this once.",
        discussion: """
            On a terminal it shows the plan of the rule and asks. A running service then runs the rule at once; without \
            one the next run does. What that would delete must be what was confirmed: the same rule, table and rows, with \
            a cutoff on the same day. Rows that have expired since may be a tenth as many. Else it is held again.

            Examples:
              pruned confirm read-records
              pruned confirm --yes read-records
            """)

    @ParentCommand var program: Pruned
    @OptionGroup var common: CommonOptions

    @Argument(help: "The rule.", completion: .heldRule)
    var rule: String

    @Flag(name: .long, help: "Show the plan and do not ask; also confirm a rule that no run has held yet.")
    var yes = false

    func validate() throws {
        try program.refuseRunOptions(of: "confirm")
    }

    func run() throws {
        ProcessSignals.ignoreUnwanted()
        try Failure.reported { () throws(Failure) in
            try SystemState.remark(to: common, command: "confirm \(rule)")
            let isAsked = isatty(STDIN_FILENO) == 1 && StandardStream.output.isTerminal
            return try Confirm(
                setup: Setup(common), showing: yes ? .plan : isAsked ? .planAndQuestion : .nothing,
                style: .of(.output, common.color)
            ).executeAll(rule)
        }
    }
}

/// Records that a person lets a held rule through, once.
struct Confirm {
    /// What the person sees first. Without the plan, only what a run held can be confirmed: the journal or the status
    /// showed it.
    enum Showing { case nothing, plan, planAndQuestion }

    let setup: Setup
    let showing: Showing
    let style: TextStyle

    init(setup: Setup, showing: Showing, style: TextStyle) {
        (self.setup, self.showing, self.style) = (setup, showing, style)
    }

    /// Of several rules those that are held, one after the other.
    func executeAll(_ text: String) throws(Failure) -> ExitStatus {
        let rules = try setup.rules(matching: text)
        guard rules.count > 1 else { return try execute(rules[0]) }
        try setup.checkState()
        let held = setup.ledger.readIfPossible(or: [:]) { try $0.holds() }
        let named = rules.filter { held[$0.name] != nil }
        guard !named.isEmpty else {
            throw Failure(
                .failed, "no rule of \(text) is held",
                hint: "a rule that no run has held yet is confirmed by its own name")
        }
        var status = ExitStatus.done
        for rule in named {
            let one: ExitStatus
            do throws(Failure) { one = try execute(rule) } catch {
                error.report()
                one = error.status
            }
            if one.rawValue > status.rawValue { status = one }
        }
        return status
    }

    private func execute(_ rule: RetentionRule) throws(Failure) -> ExitStatus {
        try setup.checkState()
        defer { setup.publisher.finish() }
        // Before the first run there is none, and then only a plan can be confirmed.
        guard access(setup.stateDirectory, F_OK) == 0 || errno == ENOENT && showing != .nothing else {
            throw Failure(.system(errno, operation: "look for holds", place: setup.stateDirectory))
        }
        let found: Hold?
        let evidence: RuleEvidence
        do throws(StoreError) {
            (found, evidence) = try setup.ledger.read(or: (nil, RuleEvidence())) { tables in
                let hold = try tables.holds()[rule.name]
                let evidence = try RuleEvidence(
                    lastRun: tables.lastRuns()[rule.name],
                    lastAttempt: tables.lastAttempts()[rule.name.description], hold: hold)
                return (hold, evidence.of(rule, at: nil))
            }
        } catch {
            throw Failure(error)
        }
        try refuseInVain(evidence, rule)
        var report: PruneReport?
        if showing == .nothing || found?.begun != nil {
            guard let found else { throw notHeld(rule) }
            try refuseStale(found, of: rule)
        } else {
            report = try shownPlan(of: rule)
            guard report != nil else { return .held }
        }
        try say(try record(report, rule), rule)
        return .done
    }

    /// The plan of the rule, which a guard would hold. Shows it, and asks; nil when the answer is not yes.
    private func shownPlan(of rule: RetentionRule) throws(Failure) -> PruneReport? {
        let stores = try setup.stores(of: setup.configuration, purpose: "pruned confirm")
        // Judged without the confirmation that there may be.
        let memory = GuardMemory(
            lastRuns: setup.ledger.readIfPossible(or: [:]) {
                try $0.lastRuns(of: [rule], at: stores.places)
            }, holds: [:], isToConfirm: true)
        var report = setup.plan(of: [rule], on: stores, memory: memory)
        guard let result = report.rule(named: rule.name), let seen = result.held, let halt = result.failure
        else {
            if let failure = report.rule(named: rule.name)?.failure {
                throw Failure(ExitStatus(failure.kind), failure.reason, hint: failure.hint)
            }
            throw Failure(
                .failed, "rule \(rule.name) is not held",
                hint: "it needs no confirmation: `\(runNow(rule))` runs it")
        }
        // Its hint is to confirm the rule.
        report.rules[0].failure = Halt(
            halt.kind, operation: halt.operation, place: halt.place, cause: halt.cause)
        try StandardStream.output.write(
            PlanText(
                report, rules: [rule], length: .all, timeZone: setup.policy.timeZone, style: style
            ).description)
        guard showing == .planAndQuestion else { return report }
        try StandardStream.output.write(
            "\n\(rule.action.infinitive.capitalized) these \(seen.expired.counted("row")), once? [y/N] ")
        let answer = readLine()?.lowercased() ?? ""
        guard ["y", "yes"].contains(answer) else {
            try StandardStream.output.write("Nothing was confirmed.\n")
            return nil
        }
        return report
    }

    /// Records the confirmation, and the hold that the plan in `report` showed.
    private func record(_ report: PruneReport?, _ rule: RetentionRule) throws(Failure) -> Hold {
        let initiator = Initiator(.hand, user: setup.caller)
        do {
            try StateDirectory.createIfMissing(at: setup.stateDirectory)
        } catch {
            throw Failure(error)
        }
        let confirmed: Hold?
        do throws(StoreError) {
            confirmed = try setup.ledger.write("confirm what is held") { tables in
                if let report { try tables.recordHolds(report.rules, at: report.startedAt) }
                let now = SystemTime.now
                guard let hold = try tables.confirm(rule.name, at: now) else { return nil }
                try tables.append([.confirmed(hold.seen, of: rule.name, at: now, by: initiator)])
                return hold
            }
        } catch {
            throw Failure(error)
        }
        guard let confirmed else {
            throw Failure(
                .failed, "rule \(rule.name) is no longer held",
                hint: "a run has just completed it; `\(setup.program) history` shows what that did")
        }
        return confirmed
    }

    private func notHeld(_ rule: RetentionRule) -> Failure {
        Failure(
            .failed, "rule \(rule.name) is not held",
            hint:
                "`\(setup.program) plan` shows what it would \(rule.action.infinitive), and whether it would be held;"
                + " `\(setup.program) confirm --yes \(rule.name)` confirms that")
    }

    /// Throws when a confirmation would not help, because the archive holds the rule.
    private func refuseInVain(_ evidence: RuleEvidence, _ rule: RetentionRule) throws(Failure) {
        guard let record = evidence.heldByArchive?.record else { return }
        throw Failure(
            .failed,
            "rule \(rule.name) cannot be confirmed: \(record.reason ?? "unknown")",
            hint: (record.hint.map { $0 + "; " } ?? "")
                + "once that is done, `\(setup.program) --run-now --rule \(rule.name)` goes on")
    }

    /// Throws when the service would certainly hold the rule again.
    private func refuseStale(_ hold: Hold, of rule: RetentionRule) throws(Failure) {
        let (now, timeZone) = (SystemTime.now, setup.policy.timeZone)
        let change: String
        switch hold.mismatch(with: rule, at: now, in: timeZone) {
        case nil: return
        case .rule: change = "was changed since it was held"
        case .day(let day):
            let today = HeldRule.day(of: rule.expiry.cutoff(at: now, in: timeZone), in: timeZone)
            change = "was held for a cutoff on \(day); it is now on \(today)"
        case .count, .identity, .rows, .rest: change = "would \(rule.action.infinitive) other rows"
        }
        throw Failure(
            .failed, "rule \(rule.name) \(change)",
            hint: "let it be held anew, by `\(runNow(rule))`, and confirm that")
    }

    private var isServing: Bool { ServicePresence.isSeen(stateDirectory: setup.stateDirectory) == true }

    /// The command that runs the rule now; the service's runs all rules.
    private func runNow(_ rule: RetentionRule) -> String {
        isServing
            ? setup.service.command("kill --signal=USR1") : "\(setup.program) --run-now --rule \(rule.name)"
    }

    private func say(_ hold: Hold, _ rule: RetentionRule) throws(Failure) {
        let count = hold.seen.expired.grouped
        let covered =
            hold.begun == nil
            ? "about \(count) of \(hold.seen.rows.grouped) rows of \(rule.table)\(before(hold, rule))"
            : "the \(count) rows of \(rule.table) that are left of the earlier confirmation"
        let next =
            !isServing
            ? "no service runs on \(setup.stateDirectory); the next run takes it, for example `\(runNow(rule))`"
            : wakeService()
                ? "the service runs it now"
                : "the service runs it within ten minutes, or at once after `\(runNow(rule))`"
        let lines = ["\(rule.name): confirmed for one run: \(covered)", next].flatMap {
            style.fitted($0.onOneLine)
        }
        try StandardStream.output.write(lines.map { $0 + "\n" }.joined())
    }

    private func before(_ hold: Hold, _ rule: RetentionRule) -> String {
        rule.expiry.column == nil ? "" : ", from before \(hold.seen.cutoffDay)"
    }

    /// Tells the running service that a rule was confirmed. False if it cannot be told: its process is not to be seen, or
    /// is of another version, which the signal would end.
    private func wakeService() -> Bool {
        let record = setup.ledger.readIfPossible(or: nil) { try $0.serviceRecord() }
        guard let process = ServicePresence.process(stateDirectory: setup.stateDirectory),
            process > 1, record?.process == process
        else { return false }
        return kill(process, SIGUSR2) == 0
    }
}
