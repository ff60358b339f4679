import FoundationEssentials
import Ledger
import Pruning
import Retention

/// What the ledger of a state directory tells of rules. A missing directory counts as empty.
struct StateReading: Codable {
    private(set) var lastRuns: [Name: LastRun] = [:]
    private(set) var holds: [Name: Hold] = [:]
    /// By rule name.
    private(set) var attempts: [String: LastAttempt] = [:]
    /// The expired rows that the last runs left, by rule name.
    private(set) var backlogs: [String: Backlog] = [:]
    /// How far runs are, by rule name.
    private(set) var progress: [String: RunProgress] = [:]
    /// The rules that the service did not complete, by name. Without a running service this means nothing.
    private(set) var troubles: [String: RuleTrouble] = [:]
    private(set) var deletions: DailyDeletions
    /// The same of each rule that deleted anything, by its name.
    private(set) var ruleDeletions: [String: DailyDeletions] = [:]
    /// How large the stores were, by name.
    private(set) var sizes: [String: [SizeOnDay]] = [:]
    /// Why the directory counts as empty; nil when it does not.
    private(set) var damage: StateDamage?

    /// Throws when the ledger exists and cannot be read. Treated as empty, it would look as if nothing had ever run.
    init(_ ledger: Ledger, until now: Date, in timeZone: Zone) throws(StoreError) {
        let nothing = StateReading(deletions: DailyDeletions([], until: now, in: timeZone))
        let found = try ledger.examine(or: nothing) { tables in
            try tables.checkAll()
            return try StateReading(tables, until: now, in: timeZone)
        }
        self = found.result
        damage = found.damage
    }

    init(_ tables: LedgerTables, until now: Date, in timeZone: Zone) throws {
        (deletions, ruleDeletions) = try tables.dailyDeletions(until: now, in: timeZone)
        sizes = try tables.sizes(in: timeZone)
        (lastRuns, holds) = try (tables.lastRuns(), tables.holds())
        (attempts, progress) = try (tables.lastAttempts(), tables.progress())
        backlogs = try tables.backlogs()
        troubles = try tables.serviceRecord()?.troubles ?? [:]
    }

    private init(deletions: DailyDeletions) { self.deletions = deletions }

    /// The rules with records, by name.
    var rules: [Name] {
        Set(lastRuns.keys).union(holds.keys).sorted()
    }
}

extension StatusReport {
    /// Adds what `state` tells of the rules of `policy`, whose stores are at `places`; without a policy of those it knows.
    /// `program` is the command line that calls this program. `misfits` are rules that do not fit their stores. What began
    /// after `start` runs, whether or not its store was asked.
    mutating func add(
        _ state: StateReading, of policy: RetentionPolicy?, at places: [Name: String], program: String,
        misfits: [StoreSet.Misfit] = [], runningSince start: Date = .distantFuture
    ) {
        sizes = state.sizes.filter { size in
            policy?.stores.contains { $0.name.description == size.key } ?? true
        }
        for name in policy?.rules.map(\.name) ?? state.rules {
            let rule = policy?.rule(named: name)
            let attempt = state.attempts[name.description]
            var traces = RuleEvidence(
                lastRun: state.lastRuns[name], lastAttempt: attempt,
                progress: state.progress[name.description], hold: state.holds[name],
                misfit: misfits.first {
                    $0.rule.name == name && [.schema, .unknownSchema].contains($0.error.kind)
                }?.error,
                isClockDoubted: clockDoubt != nil,
                isStoreClaimed: attempt.map { $0.began >= start } == true
                    || stores.contains { $0.name == rule?.store && $0.holder != nil },
                isRetried: isServing == true
                    && rule.flatMap { state.troubles[name.description]?.isOf($0) } ?? false)
            traces.deletions = state.ruleDeletions[name.description]
            traces.backlog = state.backlogs[name.description]
            let evidence = rule.map { traces.of($0, at: places[$0.store]) } ?? traces
            rules.append(RuleStatus(name, evidence, in: policy, now: at))
            let hold = HoldStatus(
                name, evidence, of: rule, now: at, in: timeZone, program: program,
                isServing: isServing ?? false)
            if let hold { holds.append(hold) }
        }
    }
}
