import Archive
import FoundationEssentials
import Pruning
import Retention
import RuleEngine

/// What the contexts of a store have in common.
struct StoreAccess: Sendable {
    let name: Name
    let address: Address
    /// All rules of the policy on the store.
    let rules: [RetentionRule]
    let gate: StoreGate?
    /// Whether runs vacuum the tables.
    let reclaims: Bool
    /// Nil for a store whose deleted rows are never archived.
    let archive: (any RowArchive)?
    let lockTime: LockTime
    let replicas: ReplicaWatch
    /// The smallest batch of a run, at its start.
    let unit: PageUnit
    let monotonic: @Sendable () -> Duration
    private let recent = RecentlyBound<BoundRule>()

    init(
        name: Name, address: Address, rules: [RetentionRule], gate: StoreGate?, reclaims: Bool = false,
        archive: (any RowArchive)?,
        lockTime: LockTime, replicas: ReplicaWatch, unit: PageUnit = PageUnit(),
        monotonic: @escaping @Sendable () -> Duration
    ) {
        (self.name, self.address, self.rules, self.gate) = (name, address, rules, gate)
        self.reclaims = reclaims
        (self.archive, self.lockTime, self.monotonic) = (archive, lockTime, monotonic)
        (self.replicas, self.unit) = (replicas, unit)
    }

    /// Binds a rule, inside of a transaction. Throws if it does not fit, or if something would happen that nobody declared.
    func bind(_ rule: RetentionRule, in connection: Connection) throws -> BoundRule {
        do {
            let known = try passGate(for: [SchemaUse(rule)], in: connection)
            var bound = try BoundRule(rule, beside: rules, in: connection)
            bound.triggers = try admit(bound, known, in: connection)
            try SliceAdmission.check(bound)
            _ = try ArchivedColumns(of: bound)
            recent.note(bound, as: rule, at: monotonic())
            return bound
        } catch let mismatch as SchemaMismatch {
            throw mismatch.error(of: rule, place: address.place)
        }
    }

    /// The same for looking alone. A rule that was bound a moment ago is not bound again.
    func bindToLook(_ rule: RetentionRule, in connection: Connection) throws -> BoundRule {
        try recent.bound(rule, at: monotonic()) ?? bind(rule, in: connection)
    }

    /// The tables that have the rows of the store's rules, inside of a transaction.
    func tables(in connection: Connection) throws -> [Relation] {
        let all = try Set(rules.map(\.table)).sorted().flatMap { name in
            try connection.leaves(of: connection.relation(named: name))
        }
        return all.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    /// The condition of a task, inside of a transaction. With `isToLook`, that of a rule that was bound a moment ago.
    func condition(
        of task: PruneTask, isToLook: Bool = true, in connection: Connection
    ) throws -> ExpiryCondition {
        let bound = try isToLook ? bindToLook(task.rule, in: connection) : bind(task.rule, in: connection)
        var earlier = EarlierRules()
        for done in task.presumedDone {
            let bound = try bindToLook(done.rule, in: connection)
            try earlier.presume(condition(of: done, bound, after: earlier, in: connection), in: connection)
        }
        let condition = try condition(of: task, bound, after: earlier, in: connection)
        do {
            try RefreshedAggregates.check(condition, in: connection)
        } catch let mismatch as SchemaMismatch {
            throw mismatch.error(of: task.rule, place: address.place)
        }
        return condition
    }

    private func condition(
        of task: PruneTask, _ bound: BoundRule, after earlier: EarlierRules, in connection: Connection
    ) throws -> ExpiryCondition {
        var condition = ExpiryCondition(bound: bound, task: task, earlier: earlier)
        condition.leased = try LeasedRows(of: condition, in: connection) {
            try leases(of: $0, at: task.start)
        }
        return condition
    }

    /// The leases of rows of a table. The rule that archived them may have written its name in another way.
    private func leases(of relation: Relation, at date: Date) throws(StoreError) -> Leases? {
        guard let archive else { return nil }
        var found = Leases()
        for table in [relation.name, "\(relation.schema).\(relation.name)"] {
            found = found.and(try archive.leases(of: table, in: name, at: date))
        }
        return found
    }
}

extension StoreAccess {
    /// The references that may hold rows of a rule; nil where the app's triggers may take them away first. Without
    /// `isNow`, the rules before this one have not run yet.
    func holdingReferences(
        of condition: ExpiryCondition, isNow: Bool = false, in connection: Connection
    ) throws -> HoldingReferences? {
        guard condition.bound.triggers.isEmpty else { return nil }
        // What these did is known in a run, and presumed in a dry run.
        let isKnown = isNow || !condition.task.presumedDone.isEmpty
        let before = isKnown ? [] : rules.prefix { $0.name != condition.task.rule.name }
        let names = before.filter { !$0.action.isMark }.flatMap { [$0.table] + $0.dependents }
        let changing = try connection.names(names).map(\.oid)
        return HoldingReferences(condition: condition, changing: Set(changing))
    }

    /// Throws if rows that stay refer to rows of the rule that would go, and so hold them.
    func refuseHeldRows(
        of condition: ExpiryCondition, isNow: Bool = false, in connection: Connection
    ) throws {
        do {
            try holdingReferences(of: condition, isNow: isNow, in: connection)?.check(in: connection)
        } catch let mismatch as SchemaMismatch {
            throw mismatch.error(of: condition.bound.rule, place: address.place)
        }
    }
}

extension StoreAccess {
    /// How long a server that is gone is asked what became of a commit.
    private static let longestQuestion = Duration.seconds(5)

    /// Asks a new connection what became of a transaction on `server` whose COMMIT had no answer.
    ///
    /// A stop does not end the question: the report must be right.
    func fate(
        of transaction: String, on server: ServerIdentity?, _ control: RunControl
    ) -> CommitFate {
        guard let server else { return .unknown }
        let asking = RunControl(monotonic: control.monotonic)
        let end = control.monotonic() + Self.longestQuestion
        repeat {
            control.beat()
            if let new = try? Connection(address, asking),
                let fate = try? new.fate(of: transaction, on: server, until: end)
            {
                return fate
            }
            asking.pause(.milliseconds(100))
        } while control.monotonic() < end
        return .unknown
    }
}
