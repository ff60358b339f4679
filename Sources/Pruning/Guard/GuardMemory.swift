import Retention

/// What the guards of a run know about earlier runs and about confirmations.
package struct GuardMemory: Sendable {
    /// The last completed run of each rule.
    var lastRuns: [Name: LastRun]
    /// What a person could confirm by starting a run by hand, because it was held before.
    var confirmable: [Name: Confirmation]
    /// The confirmations that apply to this run: they let rules exceed their limits.
    var confirmations: [Name: Confirmation]
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
        confirmable = holds.mapValues(\.confirmationByHand)
        confirmations = [:]
        for (rule, hold) in holds {
            confirmations[rule] = confirmedNow.contains(rule) ? hold.confirmationByHand : hold.confirmation
        }
    }

    /// The same without a confirmation of `rule`.
    func unconfirmed(_ rule: Name) -> GuardMemory {
        var memory = self
        memory.confirmations[rule] = nil
        return memory
    }

    /// An empty memory: every rule counts as new.
    package static let none = GuardMemory(lastRuns: [:], holds: [:])
}
