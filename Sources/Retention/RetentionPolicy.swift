import FoundationEssentials

/// All rules together: what the service prunes, as one value.
///
/// A policy that exists is consistent: it has at least one rule, every rule's store is defined, no name stands
/// twice, and ``rules`` stand in the order in which they run.
package struct RetentionPolicy: Equatable, Sendable {
    /// The time zone in which days and longer units are counted.
    package let timeZone: Zone
    /// The longest a batch should keep the write lock.
    package let lockTime: Duration
    /// How large the archive may get, in all.
    package let archiveLimit: ByteCount
    /// By name.
    package let stores: [StoreDefinition]
    /// In running order: by name, but a rule that deletes what keeps another rule's rows runs before it.
    package let rules: [RetentionRule]

    /// Throws what makes the parts inconsistent.
    package init(
        timeZone: Zone, lockTime: Duration = Self.defaultLockTime,
        archiveLimit: ByteCount = Self.defaultArchiveLimit, stores: [StoreDefinition], rules: [RetentionRule]
    ) throws(PolicyError) {
        guard !rules.isEmpty else { throw .empty }
        try Self.refuseTwins(stores.map(\.name), as: PolicyError.duplicateStore)
        try Self.refuseTwins(rules.map(\.name), as: PolicyError.duplicateRule)
        for name in stores.map(\.name) + rules.map(\.name) where Self.reservedNames.contains(name) {
            throw .reservedName(name)
        }
        let known = Set(stores.map(\.name))
        for rule in rules where !known.contains(rule.store) {
            throw .unknownStore(rule: rule.name, store: rule.store)
        }
        self.timeZone = timeZone
        self.lockTime = lockTime
        self.archiveLimit = archiveLimit
        self.stores = stores.sorted { $0.name < $1.name }
        self.rules = try RunningOrder.sorted(rules)
    }

    /// The rule of this name.
    package func rule(named name: Name) -> RetentionRule? {
        rules.first { $0.name == name }
    }

    private static func refuseTwins(_ names: [Name], as error: (Name) -> PolicyError) throws(PolicyError) {
        var seen: Set<Name> = []
        for name in names where !seen.insert(name).inserted { throw error(name) }
    }

    /// The name of the archive as a store, and of the rule on it.
    package static let archiveName: Name = "archive"
    /// Reports use them for what the service prunes for itself.
    private static let reservedNames: Set<Name> = [archiveName, "archive-leases"]

    /// The batch hold of a policy that does not say one.
    package static let defaultLockTime = Duration.milliseconds(10)
    /// The archive limit of a policy that does not say one: 1 GB.
    package static let defaultArchiveLimit = ByteCount(1_000_000_000)
}
