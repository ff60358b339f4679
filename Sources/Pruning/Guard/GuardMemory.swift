import Retention

/// What the guards of a run know about earlier runs and about confirmations.
package struct GuardMemory: Codable, Sendable {
    /// The last completed run of each rule.
    var lastRuns: [Name: LastRun]
    /// The rules that were held before: a person could confirm these by starting a run by hand.
    var holds: [Name: Hold]
    /// Those whose confirmation applies to this run: it lets them exceed their limits.
    var confirmed: [Name: Hold]
    /// The rules that the command starting this run confirms, whether or not they were held before.
    var confirmedNow: Set<Name>
    /// Whether a person is about to confirm what a dry run shows: then it has to be known which rows these are.
    var isToConfirm = false

    /// The memory of earlier runs, with `confirmedNow` confirmed by whoever starts the run.
    package init(
        lastRuns: [Name: LastRun], holds: [Name: Hold], confirmedNow: Set<Name> = [],
        isToConfirm: Bool = false
    ) {
        self.isToConfirm = isToConfirm
        self.lastRuns = lastRuns
        self.confirmedNow = confirmedNow
        self.holds = holds
        confirmed = holds.filter { $1.confirmedAt != nil || confirmedNow.contains($0) }
    }

    /// The same without a confirmation of `rule`.
    func unconfirmed(_ rule: Name) -> GuardMemory {
        var memory = self
        memory.confirmed[rule] = nil
        return memory
    }

    /// What concerns these rules.
    func of(_ rules: [Name]) -> GuardMemory {
        var memory = self
        memory.lastRuns = lastRuns.filter { rules.contains($0.key) }
        (memory.holds, memory.confirmed) = (
            holds.filter { rules.contains($0.key) }, confirmed.filter { rules.contains($0.key) }
        )
        memory.confirmedNow = confirmedNow.intersection(rules)
        return memory
    }

    /// How the task's rule differs from its last run.
    func change(of task: PruneTask) -> RuleChange? {
        guard let last = lastRuns[task.rule.name] else { return .new }
        return last.rule.flatMap { RuleChange(of: task.rule, since: $0, at: task.start, in: task.timeZone) }
    }

    /// An empty memory: every rule counts as new.
    package static let none = GuardMemory(lastRuns: [:], holds: [:])
}
