import Retention

/// What the guards of a run know of earlier ones, and of what people confirmed.
package struct GuardMemory: Sendable {
    /// What each rule last ran with.
    var lastRuns: [Name: LastRun]
    /// What was held before, and a person can confirm: to whoever starts the run by hand, or has already.
    var confirmable: [Name: Confirmation]
    /// What may go although it is more than the limits say.
    var confirmations: [Name: Confirmation]
    /// The rules that are confirmed in this run, whether they were held before or not.
    var confirmedNow: Set<Name>

    /// What the ledgers say, with `confirmedNow` confirmed by whoever starts the run.
    package init(lastRuns: [Name: LastRun], holds: [Name: Hold], confirmedNow: Set<Name> = []) {
        self.lastRuns = lastRuns
        self.confirmedNow = confirmedNow
        confirmable = holds.mapValues(\.confirmationByHand)
        confirmations = [:]
        for (rule, hold) in holds {
            confirmations[rule] = confirmedNow.contains(rule) ? hold.confirmationByHand : hold.confirmation
        }
    }

    /// Knows nothing: to it, every rule is new.
    package static let none = GuardMemory(lastRuns: [:], holds: [:])
}
