import Pruning
import Retention

/// The SQL of which rows of a task's table have expired, and which stay and why.
struct ExpiryCondition {
    let bound: BoundRule
    let task: PruneTask
    let newest: NewestRows?
    /// The rows that were put back and must stay; nil if there are none.
    var leased: LeasedRows?
    /// In a dry run, the rules that run before this one on the same store.
    private let earlier: [ExpiryCondition]

    init(bound: BoundRule, task: PruneTask, leased: LeasedRows? = nil, earlier: [ExpiryCondition] = []) {
        (self.bound, self.task, self.leased, self.earlier) = (bound, task, leased, earlier)
        newest = NewestRows(bound, start: task.start)
    }

    private var relation: Relation { bound.relation }

    /// SQL that is true of a row that is old enough. Without a time, all rows are.
    var isPast: [String] { bound.time.map { [$0.isPlausible, $0.isBefore(task.cutoff)] } ?? [] }

    /// Whether partitions go as a whole. Rows that were put back stay, so the others go one by one.
    var dropsPartitions: Bool { bound.rule.partitions == .drop && leased == nil }

    /// SQL that is true of a row without a plausible time; nil for a rule without a time. In a deadline, NULL means "never".
    var isImplausible: String? {
        bound.time.map { nullNeverExpires ? $0.isOutside : "(\($0.sql) IS NULL OR \($0.isOutside))" }
    }

    var nullNeverExpires: Bool { if case .deadline = task.rule.expiry { true } else { false } }

    /// SQL that is true of a row that is still there when the earlier rules of a dry run are done.
    var notGone: [String] {
        let own = bound.mark.map { ["NOT \($0.isSet(in: relation))"] } ?? []
        return own + earlierOnTable.map { "(\($0.expired)) IS NOT TRUE" }
    }

    private var earlierOnTable: [ExpiryCondition] {
        earlier.filter { $0.bound.relation.oid == relation.oid && $0.bound.newest == nil }
    }

    func isAbsent(from keeper: Keeper) -> String {
        let gone = earlier.filter {
            $0.bound.relation.oid == keeper.relation.oid && $0.bound.mark == nil && $0.bound.newest == nil
        }
        return keeper.isAbsent(
            except: gone.isEmpty ? nil : gone.map { "(\($0.expired))" }.joined(separator: " OR "))
    }

    /// The terms of `where` and `protect`, and of a row that is still there.
    var demanded: [String] {
        [bound.expressions.condition?.isTrue].compactMap(\.self)
            + bound.expressions.protections.map(\.isFalse) + notGone
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

    /// All terms of a row that goes; in a statement that has ``join`` and ``with(of:)``.
    var terms: [String] { certain + [newest?.isOlder].compactMap(\.self) + leaseTerms }

    /// SQL that is true of a row that goes. TRUE for a rule that all rows fit.
    var expired: String { terms.isEmpty ? "true" : terms.joined(separator: " AND ") }

    var join: String { newest?.join ?? "" }

    /// `WITH ...` for a statement on `rows` ("FROM ... WHERE ..."), with the tables that the expressions read.
    func with(of rows: String, and further: [String] = []) -> String {
        let queries = ([self] + earlier).flatMap(\.bound.expressions.queries)
        let distinct = queries.reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
        let all = distinct + (newest?.common(of: rows) ?? []) + further
        return all.isEmpty ? "" : "WITH " + all.joined(separator: ", ") + " "
    }

    /// The table, or one of its partitions, in FROM.
    func from(_ leaf: Relation? = nil) -> String {
        "FROM \(leaf.map { "ONLY \($0.sql)" } ?? relation.sql) AS \(relation.alias)"
    }
}

extension BoundRule {
    fileprivate var newest: Int64? { rule.keepLast }
}
