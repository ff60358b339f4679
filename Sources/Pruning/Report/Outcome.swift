/// How a rule's part of a run ended; from best to worst.
package enum Outcome: String, Codable, Sendable, Comparable, CaseIterable {
    /// Everything that was expired when the run began is gone.
    case done
    /// A guard stopped the rule and a person must confirm it.
    case held
    /// A signal or a budget ended the rule early; the next run goes on.
    case stopped
    /// The store was busy; nothing is wrong, the next run tries again.
    case skipped
    /// The rule could not do its work.
    case failed

    /// From best to worst.
    package static func < (a: Outcome, b: Outcome) -> Bool {
        (allCases.firstIndex(of: a) ?? 0) < (allCases.firstIndex(of: b) ?? 0)
    }
}
