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
    /// Nil for a store whose deleted rows are never archived.
    let archive: (any RowArchive)?
    let lockTime: LockTime
    let monotonic: @Sendable () -> Duration
    let recent: RecentlyBound<BoundRule>

    /// Binds a rule, inside of a transaction. Throws if it does not fit, or if something would happen that nobody declared.
    func bind(_ rule: RetentionRule, at start: Date, in connection: Connection) throws -> BoundRule {
        do {
            try connection.checkSight(of: rule)
            let known = try passGate(for: [SchemaUse(rule)], in: connection)
            var bound = try BoundRule(rule, beside: rules, at: start, in: connection)
            bound.triggers = try connection.triggers(of: bound, allowing: gate?.triggers ?? [])
            try connection.checkRights(of: bound)
            try known?.cover(bound, in: connection)
            _ = try ArchivedColumns(of: bound)
            recent.note(bound, as: rule, at: monotonic())
            return bound
        } catch let mismatch as SchemaMismatch {
            throw mismatch.error(of: rule, place: address.place)
        }
    }

    /// The schema that the store's gate knows; nil for a store that may have any. Throws if the database has another one, as
    /// far as `uses` depend on it.
    func passGate(for uses: [SchemaUse], in connection: Connection) throws -> StoreGate.Known? {
        try gate.map {
            try Gate($0, for: uses, store: name, place: address.place, names: .mariadb(address.database))
                .pass(StoreSchema(of: $0.tables, in: connection))
        }
    }

    /// The rule of a task as it was bound a moment ago, or is bound now, inside of a transaction.
    func known(_ task: PruneTask, in connection: Connection) throws -> BoundRule {
        try recent.bound(task.rule, at: monotonic()) ?? bind(task.rule, at: task.start, in: connection)
    }

    /// The condition of a task, inside of a transaction. With `isToLook`, that of a rule that was bound a moment ago.
    func condition(
        of task: PruneTask, isToLook: Bool = true, in connection: Connection
    ) throws -> ExpiryCondition {
        var earlier = EarlierRules()
        for done in task.presumedDone {
            let condition = try condition(of: done, isToLook: true, after: earlier, in: connection)
            try earlier.presume(condition.bound, condition.goingRows)
        }
        return try condition(of: task, isToLook: isToLook, after: earlier, in: connection)
    }

    private func condition(
        of task: PruneTask, isToLook: Bool, after earlier: EarlierRules, in connection: Connection
    ) throws -> ExpiryCondition {
        let bound =
            try isToLook ? known(task, in: connection) : bind(task.rule, at: task.start, in: connection)
        var condition = ExpiryCondition(bound: bound, task: task, earlier: earlier)
        condition.leased = try LeasedRows(
            of: condition.bound, isPast: condition.isPast, after: earlier, in: connection
        ) { relation in
            // The rule that archived them may have written its name in another way.
            let names = Set([relation.name, relation.description, "\(relation.database).\(relation.name)"])
            return try archive.map { archive in
                try names.reduce(Leases()) { try $0.and(archive.leases(of: $1, in: name, at: task.start)) }
            }
        }
        return condition
    }

    /// Throws if rows that stay refer to rows of the rule that would go, and so hold them.
    func refuseHeldRows(of condition: ExpiryCondition, in connection: Connection) throws {
        // What the app's triggers do first, only a run can tell.
        guard condition.bound.triggers.isEmpty else { return }
        do {
            try TableCensus(condition: condition).checkHolding(in: connection)
        } catch let mismatch as SchemaMismatch {
            throw mismatch.error(of: condition.bound.rule, place: address.place)
        }
    }

    /// What became of a commit without an answer, told by its rows on a new connection: all are there and free, or none is.
    /// Nil if that is unknown. A stop does not end the question: the report must be right.
    func isCommitted(_ rows: [[String]], of bound: BoundRule, _ control: RunControl) -> Bool? {
        let asking = RunControl(monotonic: control.monotonic)
        let end = control.monotonic() + .seconds(5)
        let isGone = bound.mark.map { "NOT \($0.isSet(in: bound.relation))" }
        let place = ([bound.key.isOne(of: rows)] + [isGone].compactMap(\.self)).joined(
            separator: " AND ")
        repeat {
            control.beat()
            if let new = try? Connection(address, asking) {
                defer { new.close() }
                let found = try? new.query(
                    "SELECT 1 FROM \(bound.relation.sql) AS \(bound.relation.alias) WHERE \(place) FOR UPDATE NOWAIT"
                )
                if let found { return found.count == 0 ? true : found.count == rows.count ? false : nil }
            }
            asking.pause(.milliseconds(100))
        } while control.monotonic() < end
        return nil
    }
}
