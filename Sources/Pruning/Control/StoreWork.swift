import Retention

/// A description of work in a store, for errors about it.
package struct StoreWork: Sendable {
    /// As in ``StoreError``.
    package let operation: String, place: String
    /// The rule that the work is for; nil when it is for none.
    package let rule: RetentionRule?
    /// The likely cause if the work takes too long, as part of a sentence.
    package let suspect: String?

    package init(
        _ operation: String, place: String, rule: RetentionRule? = nil, suspect: String? = nil
    ) {
        (self.operation, self.place, self.rule, self.suspect) = (operation, place, rule, suspect)
    }
}

/// What a run is at, as another process is told.
package struct WorkInHand: Codable, Equatable, Sendable {
    /// As in ``StoreError``.
    package let operation: String, place: String
    package let rule: Name?
    package let suspect: String?
    /// Whether it is a write transaction: the app cannot write meanwhile.
    package let hasLock: Bool

    package init(_ work: StoreWork, hasLock: Bool) {
        // A store's names may be long.
        (operation, place) = (String(work.operation.prefix(1_000)), work.place)
        (rule, suspect) = (work.rule?.name, work.suspect.map { String($0.prefix(1_000)) })
        self.hasLock = hasLock
    }
}
