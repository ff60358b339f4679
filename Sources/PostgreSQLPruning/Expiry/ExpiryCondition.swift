import Pruning
import Retention
import RuleEngine

/// The SQL of which rows of a task's table have expired, and which stay and why.
struct ExpiryCondition: ExpirySQL {
    let bound: BoundRule
    let task: PruneTask
    let newest: NewestRows?
    /// The rows that were put back and must stay; nil if there are none.
    var leased: LeasedRows?
    /// Whether rows go in batches: those that others refer to go after these, or in one batch with them.
    var goesInBatches = false
    /// What a dry run presumes that the rules before this one have done.
    let earlier: EarlierRules

    init(
        bound: BoundRule, task: PruneTask, leased: LeasedRows? = nil, earlier: EarlierRules = EarlierRules()
    ) {
        (self.task, self.leased, self.earlier) = (task, leased, earlier)
        self.bound = bound.reading(earlier)
        newest = NewestRows(bound, source: earlier.source(of: bound.relation), start: task.start)
    }

    private var relation: Relation { bound.relation }

    var time: TimeColumn? { bound.time }

    /// SQL that is true of a row that is old enough. Without a time, all rows are.
    var isPast: [String] { bound.time.map { [$0.isPlausible, $0.isBefore(task.cutoff)] } ?? [] }

    /// Whether partitions go as a whole. Rows that were put back stay, so the others go one by one.
    var dropsPartitions: Bool { bound.rule.partitions == .drop && leased == nil }

    /// SQL that is true of a row without a plausible time; nil for a rule without a time. In a deadline, NULL means "never".
    var isImplausible: String? {
        bound.time.map { nullNeverExpires ? $0.isOutside : "(\($0.sql) IS NULL OR \($0.isOutside))" }
    }

    var nullNeverExpires: Bool { if case .deadline = task.rule.expiry { true } else { false } }

    /// SQL that is true of a row that is not marked yet.
    var notGone: [String] { bound.mark.map { ["NOT \($0.isSet(in: relation))"] } ?? [] }

    /// SQL terms of rows whose times matter: others stay because of `where`, and may have no time yet.
    var wanted: [String] { [bound.conditions.wanted?.isTrue].compactMap(\.self) + notGone }

    /// A row among the newest of its group may be none of them later.
    var demandedAlone: [String] {
        demanded + [newest.flatMap { $0.hasGroups ? nil : $0.isOlder }, leased?.isAbsent].compactMap(\.self)
    }

    func isAbsent(from keeper: Keeper) -> String {
        keeper.isAbsent(from: earlier.source(of: keeper.relation))
    }

    /// The terms of `where` and `protect`, and of a row that is still there.
    var demanded: [String] {
        [bound.conditions.wanted?.isTrue].compactMap(\.self)
            + bound.conditions.protections.map(\.isFalse) + notGone
    }

    /// The terms of a row that goes, but for the newest of each group and for leases.
    var certain: [String] { isPast + demanded + bound.keepers.map(isAbsent) }

    /// The terms by which a batch finds the rows to lock. Within a range of pages no index may find them.
    var lockable: [String] {
        let time = isPast.isEmpty ? [] : ["(\(isPast.joined(separator: " AND "))) IS TRUE"]
        let rest = certain.dropFirst(isPast.count)
        return time + rest + (newest.map { $0.hasGroups ? [] : [$0.isOlder] } ?? []) + leaseTerms
    }

    /// The terms by which a batch finds the rows to lock by an index on time.
    var lockableByIndex: [String] { isPast + lockable.dropFirst(isPast.isEmpty ? 0 : 1) }

    private var leaseTerms: [String] { [leased?.isAbsent].compactMap(\.self) }

    /// All terms of a row that goes; in a statement that has ``join`` and ``with(of:)``. Of a batch, the statement has
    /// ``heldRows(of:in:)``, too.
    var terms: [String] { termsUnlessHeld + [notHeld].compactMap(\.self) }

    /// The same but for rows that refer to it.
    var termsUnlessHeld: [String] { certain + [newest?.isOlder].compactMap(\.self) + leaseTerms }

    /// SQL that is true of a row that goes. TRUE for a rule that all rows fit.
    var expired: String { terms.isEmpty ? "true" : terms.joined(separator: " AND ") }

    /// Whether nothing but the row itself decides, and nothing goes with it.
    var looksAtRowAlone: Bool {
        newest == nil && leased == nil && bound.keepers.isEmpty && bound.ownKeys.isEmpty
            && bound.cascades.isEmpty
            && bound.mark == nil && bound.others.isEmpty
    }

    var join: String { newest?.join ?? "" }

    /// `WITH ...` for a statement on `rows` ("FROM ... WHERE ..."), with what its terms read.
    func with(of rows: String, and further: [String]) -> String {
        with(earlier.queries + own(of: rows, holding: !goesInBatches) + further)
    }

    /// The same for a part of a statement that begins with what the earlier rules have done. Without `holding`, it does not
    /// tell which rows others refer to.
    func ownWith(of rows: String, holding: Bool = true) -> String { with(own(of: rows, holding: holding)) }

    private func own(of rows: String, holding: Bool) -> [String] {
        (newest?.common(of: rows) ?? []) + (holding ? heldRows() : [])
    }

    private func with(_ queries: [String]) -> String {
        let verb = bound.ownKeys.isEmpty ? "WITH " : "WITH RECURSIVE "
        return queries.isEmpty ? "" : verb + queries.joined(separator: ", ") + " "
    }

    func with(of rows: String) -> String { with(of: rows, and: []) }

    func from() -> String { from(nil) }

    /// The table, or one of its partitions, in FROM.
    func from(_ leaf: Relation?) -> String {
        "FROM \(leaf.map { $0.isDistributed ? $0.sql : "ONLY \($0.sql)" } ?? earlier.source(of: relation)) AS \(relation.alias)"
    }

    /// Another table, as the earlier rules leave it, in FROM.
    func source(of other: Relation) -> String { earlier.source(of: other) }
}

extension BoundRule {
    /// The same rule, whose conditions read tables as the earlier rules leave them.
    fileprivate func reading(_ earlier: EarlierRules) -> BoundRule {
        var rule = self
        guard others.contains(where: { earlier.source(of: $0) != $0.sql }) else { return rule }
        rule.conditions = conditions.reading(
            { table in others.first { $0.sql == table.sql }.map(earlier.source) ?? table.sql },
            in: PostgreSQLConditions())
        return rule
    }
}
