import ArgumentParser
import FoundationEssentials
import Glibc
import Ledger
import Pruning
import Retention
import TerminalText

/// `pruned confirm RULE`: lets the service, or the next run, delete what a guard held.
struct ConfirmCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "confirm",
        abstract: "Confirm a held rule: let the service delete its rows, this once.",
        discussion: """
            The service looks for it within ten minutes; while none runs, the next run does. What that would delete \
            must be what was held: the same rule, table and rows, with a cutoff on the same day. Rows that have expired \
            since may be a tenth as many. Else it is held again.
            """)

    @ParentCommand var program: Pruned
    @OptionGroup var common: CommonOptions

    @Argument(help: "The rule.", completion: .heldRule)
    var rule: String

    func validate() throws {
        try program.refuseRunOptions(of: "confirm")
    }

    func run() throws {
        ProcessSignals.ignoreUnwanted()
        try Failure.reported { () throws(Failure) in
            try SystemState.remark(to: common, command: "confirm \(rule)")
            return try Confirm(setup: Setup(common)).execute(rule)
        }
    }
}

/// Marks a hold as confirmed, if it matches the rule as it is now.
struct Confirm {
    let setup: Setup

    func execute(_ text: String) throws(Failure) -> ExitStatus {
        let rule = try setup.rule(named: text)
        guard access(setup.stateDirectory, F_OK) == 0 else {
            throw Failure(.system(errno, operation: "look for holds", place: setup.stateDirectory))
        }
        let ledger = setup.ledger
        let found: Hold?
        let evidence: RuleEvidence
        do throws(StoreError) {
            (found, evidence) = try ledger.read(or: (nil, RuleEvidence())) { tables in
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
        guard let found else {
            throw Failure(
                .failed, "rule \(rule.name) is not held",
                hint: "a run holds it if necessary;"
                    + " `\(setup.program) plan` shows what it would \(rule.action.infinitive), and whether it would be held"
            )
        }
        try refuseStale(found, of: rule)
        let confirmed: Hold?
        let initiator = Initiator(.hand, user: setup.caller)
        do throws(StoreError) {
            confirmed = try ledger.write("confirm what is held") { tables in
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
        try say(confirmed, rule)
        return .done
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
            hint: "let it be held anew, by `\(runAll)`, and confirm that")
    }

    private var isServing: Bool { ServicePresence.isSeen(stateDirectory: setup.stateDirectory) == true }

    /// The command that runs all rules now.
    private var runAll: String {
        isServing ? setup.service.command("kill --signal=USR1") : "\(setup.program) --run-now"
    }

    private func say(_ hold: Hold, _ rule: RetentionRule) throws(Failure) {
        let since = hold.since.local(in: setup.policy.timeZone)
        let covered =
            hold.begun == nil
            ? "\(hold.seen.expired.grouped) of \(hold.seen.rows.grouped) rows of \(rule.table), and up to a tenth that have expired since,"
            : "the \(hold.seen.expired.grouped) rows of \(rule.table) that are left of the earlier confirmation,"
        let lines = [
            "\(rule.name): confirmed, it may \(rule.action.infinitive) \(covered) with a cutoff on \(hold.seen.cutoffDay), this once",
            "held since \(since): \(hold.cause)",
            isServing
                ? "the service runs it within ten minutes, or at once after `\(runAll)`"
                : "no service runs on \(setup.stateDirectory); the next run takes it, for example `\(runAll)`",
        ]
        try StandardStream.output.write(lines.map { $0.onOneLine + "\n" }.joined())
    }
}
