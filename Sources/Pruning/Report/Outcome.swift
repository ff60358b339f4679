/// How a rule ended in a run, from best to worst.
package enum Outcome: String, Codable, Sendable, Comparable, CaseIterable {
    /// All rows that had expired when the run began are deleted.
    case done
    /// A guard stopped the rule and a person must confirm it; or the archive, leases or the clock do not let it delete
    /// now.
    case held
    /// A signal or a limit ended the rule early; the next run continues.
    case stopped
    /// The store was busy or missing; the next run tries again.
    case skipped
    /// The rule could not do its work.
    case failed

    /// A better outcome is less than a worse one.
    package static func < (a: Outcome, b: Outcome) -> Bool {
        (allCases.firstIndex(of: a) ?? 0) < (allCases.firstIndex(of: b) ?? 0)
    }
}
