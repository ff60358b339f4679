/// All rules and stores, as one value.
///
/// A policy is always consistent: it has at least one rule, every rule's store is defined, names are unique, and
/// ``rules`` are in running order.
package struct RetentionPolicy: Equatable, Sendable {
    /// The time zone in which days and longer units are counted.
    package let timeZone: Zone
    /// The longest lock time that a batch should have.
    package let lockTime: Duration
    /// How many stores are worked on at once.
    package let workers: Int
    /// How large archives may get.
    package let archiveLimit: ArchiveLimit
    /// The stores, sorted by name.
    package private(set) var stores: [StoreDefinition]
    /// The rules in running order: by name, except that a rule on another rule's keeper runs before that rule.
    package private(set) var rules: [RetentionRule]

    /// Throws if the parts are not consistent.
    package init(
        timeZone: Zone, lockTime: Duration = Self.defaultLockTime, workers: Int = Self.defaultWorkers,
        archiveLimit: ArchiveLimit = Self.defaultArchiveLimit, stores: [StoreDefinition],
        rules: [RetentionRule]
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
        self.workers = workers
        self.archiveLimit = archiveLimit
        self.stores = stores.sorted { $0.name < $1.name }
        self.rules = try RunningOrder.sorted(rules)
        try Self.refuseEarlyDeletions(self.rules)
    }

    package func rule(named name: Name) -> RetentionRule? {
        rules.first { $0.name == name }
    }

    /// The policy with these stores and their rules in place of the families. It may have none.
    package func withMembers(_ members: [(store: StoreDefinition, rules: [RetentionRule])]) -> RetentionPolicy
    {
        let families = Set(stores.filter { $0.family != nil }.map(\.name))
        guard !families.isEmpty else { return self }
        var policy = self
        policy.stores = (stores.filter { $0.family == nil } + members.map(\.store)).sorted {
            $0.name < $1.name
        }
        policy.rules = rules.filter { !families.contains($0.store) } + members.flatMap(\.rules)
        return policy
    }

    /// The policy without those stores of families that `other` does not have, and their rules.
    package func withMembers(of other: RetentionPolicy) -> RetentionPolicy {
        let known = Set(other.stores.map(\.name))
        var policy = self
        policy.stores = stores.filter { $0.name.family == nil || known.contains($0.name) }
        let left = Set(policy.stores.map(\.name))
        policy.rules = rules.filter { left.contains($0.store) }
        return policy
    }

    /// The policy without passwords, as it is stored where others can read it. Two policies that differ only in
    /// passwords are equal without them.
    package var withoutSecrets: RetentionPolicy {
        var policy = self
        policy.stores = stores.withoutSecrets
        return policy
    }

    /// A policy without passwords, with those that `other` has for the same stores.
    package func knowingSecrets(of other: RetentionPolicy) -> RetentionPolicy {
        var policy = self
        policy.stores = stores.knowingSecrets(of: other.stores)
        return policy
    }

    private static func refuseTwins(_ names: [Name], as error: (Name) -> PolicyError) throws(PolicyError) {
        var seen: Set<Name> = []
        for name in names where !seen.insert(name).inserted { throw error(name) }
    }

    /// A mark is what keeps a row from coming back. A rule that deletes on the same table must therefore keep its rows
    /// longer, whatever its `where` says.
    private static func refuseEarlyDeletions(
        _ rules: [RetentionRule]
    ) throws(PolicyError) {
        for marking in rules where marking.action.isMark {
            guard case .age(_, let marked) = marking.expiry else { continue }
            for deleting in rules where deleting.isOnTable(of: marking) && !deleting.action.isMark {
                guard case .age(_, let keep) = deleting.expiry, !keep.isSurelyLonger(than: marked) else {
                    continue
                }
                throw .deletesMarked(deleting: deleting.name, marking: marking.name)
            }
        }
    }

    /// The name of the archive as a store, and of the rule on it.
    package static let archiveName: Name = "archive"
    /// Reports use these names for the service's own rules.
    private static let reservedNames: Set<Name> = [archiveName, "archive-leases"]

    /// The lock time of a policy that sets none.
    package static let defaultLockTime = Duration.milliseconds(10)
    /// How many stores are worked on at once where nothing else is said.
    package static let defaultWorkers = 8
    /// How many stores may be worked on at once.
    package static let workerLimits = 1...32
    /// The archive limit of a policy that sets none: 1 GB.
    package static let defaultArchiveLimit = ArchiveLimit(ByteCount(1_000_000_000))
}

/// Why rules and stores do not make a ``RetentionPolicy``.
package enum PolicyError: Error, Equatable, Sendable {
    case empty
    case duplicateStore(Name)
    case duplicateRule(Name)
    case unknownStore(rule: Name, store: Name)
    case reservedName(Name)
    case circularKeepers([Name])
    /// The rule `deleting` deletes rows of the same table no later than `marking` marks them.
    case deletesMarked(deleting: Name, marking: Name)
}

extension RetentionPolicy {
    /// The policy without a configuration file: the default rules on the default store.
    package static func builtIn(timeZone: Zone) throws(PolicyError) -> RetentionPolicy {
        let store: Name = "reader"
        return try RetentionPolicy(
            timeZone: timeZone,
            stores: [StoreDefinition(name: store, path: "shared/reader.sqlite")],
            rules: [
                RetentionRule(
                    name: "timeline", store: store, table: "tweet",
                    expiry: .age(column: "created_at", keep: Span(30, .day)), protect: ["starred = 1"]),
                // A user comes again with the next tweet, so no share is too large. There are many in a store whose
                // users were never deleted.
                RetentionRule(
                    name: "users", store: store, table: "user", expiry: .orphan,
                    keptBy: [ColumnReference(table: "tweet", column: "user_id")],
                    holdLimits: HoldLimits(maxShare: 1, minRows: HoldLimits.standard.minRows)),
                RetentionRule(
                    name: "read-records", store: store, table: "read_record",
                    expiry: .age(column: "created_at", keep: Span(30, .day)),
                    keptBy: [ColumnReference(table: "tweet", column: "id")],
                    archiveKeep: RetentionRule.defaultArchiveKeep),
                RetentionRule(
                    name: "feed-cache", store: store, table: "feed",
                    expiry: .deadline(column: "expires_at", grace: nil),
                    every: Span(5, .minute), dependents: ["article"]),
                RetentionRule(
                    name: "items", store: store, table: "item",
                    expiry: .age(column: "timestamp", keep: Span(183, .day))),
            ])
    }
}

/// The order in which the rules of a policy run.
///
/// By name, with two exceptions. A rule on the table of another rule's keeper runs first, so that a keeper and its row
/// can be deleted in the same run, and the row never before its keeper. On one table, rules that delete run before rules
/// that mark.
enum RunningOrder {
    /// The rules in running order. Throws when some of them wait for each other.
    static func sorted(_ rules: [RetentionRule]) throws(PolicyError) -> [RetentionRule] {
        var waiting = rules.sorted { $0.name < $1.name }
        var ordered: [RetentionRule] = []
        while !waiting.isEmpty {
            guard let next = waiting.firstIndex(where: { rule in !waiting.contains { rule.runsAfter($0) } })
            else {
                throw .circularKeepers(waiting.map(\.name))
            }
            ordered.append(waiting.remove(at: next))
        }
        return ordered
    }
}

extension RetentionRule {
    /// Whether this rule must wait until `other` has run.
    fileprivate func runsAfter(_ other: RetentionRule) -> Bool {
        guard name != other.name, store == other.store else { return false }
        if table.lowercased() == other.table.lowercased(), action.isMark, !other.action.isMark { return true }
        return keptBy.contains { $0.table.lowercased() == other.table.lowercased() }
    }
}
