import FoundationEssentials
import Pruning
import Retention
import RuleEngine

/// The SQL of which rows of a task's table have expired, and which stay and why.
struct ExpiryCondition: ExpirySQL {
    let bound: BoundRule
    let task: PruneTask
    /// What a dry run presumes that the rules before this one have done.
    let earlier: EarlierRules
    private let conditions: RowConditions
    let newest: NewestRows?
    /// The rows that were put back and must stay; nil if there are none.
    var leased: LeasedRows?

    init(bound: BoundRule, task: PruneTask, earlier: EarlierRules = EarlierRules()) {
        (self.bound, self.task, self.earlier) = (bound, task, earlier)
        conditions = bound.conditions.reading(
            { table in bound.others.first { $0.sql == table.sql }.map(earlier.source) ?? table.sql },
            in: MariaDBConditions())
        newest = NewestRows(bound, source: earlier.source(of: bound.relation), start: task.start)
    }

    private var relation: Relation { bound.relation }
    var time: TimeColumn? { bound.time }
    var nullNeverExpires: Bool { if case .deadline = task.rule.expiry { true } else { false } }

    var isPast: [String] { bound.time.map { [$0.isPlausible, $0.isBefore(task.cutoff)] } ?? [] }

    /// SQL that is true of a row without a plausible time; nil for a rule without a time. In a deadline, NULL means "never".
    var isImplausible: String? {
        bound.time.map { nullNeverExpires ? $0.isOutside : "(\($0.sql) IS NULL OR \($0.isOutside))" }
    }

    var notGone: [String] { bound.mark.map { ["NOT \($0.isSet(in: relation))"] } ?? [] }

    /// SQL terms of rows whose times matter: others stay because of `where`, and may have no time yet.
    var wanted: [String] { [conditions.wanted?.isTrue].compactMap(\.self) + notGone }

    private func demanded(_ conditions: RowConditions) -> [String] {
        [conditions.wanted?.isTrue].compactMap(\.self) + conditions.protections.map(\.isFalse) + notGone
    }

    var demandedAlone: [String] {
        demanded(conditions)
            + [newest.flatMap { $0.hasGroups ? nil : $0.isOlder }, leased?.isAbsent].compactMap(\.self)
    }

    /// SQL that is true of a row that no keeper names.
    private var unkept: [String] { bound.keepers.map { $0.isAbsent(from: earlier.source(of: $0.relation)) } }

    /// The terms of a row that goes, but for the newest.
    var certain: [String] { isPast + demanded(conditions) + unkept + [leased?.isAbsent].compactMap(\.self) }

    /// The same for a statement that changes rows: what it reads of other tables is read with locks, so that it sees what
    /// others have just committed.
    var certainNow: [String] {
        let dialect = MariaDBConditions(subqueryEnd: Self.lock)
        return isPast + demanded(bound.conditions.reading(\.sql, in: dialect))
            + bound.keepers.map { $0.isAbsent(from: $0.relation.sql, Self.lock) }
    }

    private static let lock = " LOCK IN SHARE MODE"

    /// All terms of a row that goes; in a statement that has ``join``.
    var terms: [String] { certain + [newest?.isOlder].compactMap(\.self) }
    var expired: String { terms.isEmpty ? "TRUE" : terms.joined(separator: " AND ") }

    var join: String { newest?.join(among: nil) ?? "" }

    func from() -> String { "FROM \(earlier.source(of: relation)) AS \(relation.alias)" }

    func with(of rows: String) -> String { earlier.with }

    /// The rows that go, in a statement with ``with(of:)``.
    var goingRows: String { "\(from())\(join) WHERE \(expired)" }

    var reasons: RowReasons {
        var reasons = RowReasons(bound.rule, conditions)
        reasons.isUnleased = leased.map { ($0.isAbsent, $0.end) }
        reasons.isOlder = newest.map { "(\($0.isOlder)) IS TRUE" }
        reasons.isUnkept = unkept
        return reasons
    }
}

extension Mark {
    /// SQL that is true of a row that has all of the values.
    func isSet(in relation: Relation) -> String {
        "(" + columns.map { "\(relation.column($0.name)) <=> \($0.literal)" }.joined(separator: " AND ") + ")"
    }

    /// The columns that a row gets values for.
    func changed(in relation: Relation) -> [String] {
        columns.map(\.name) + relation.followers(besides: columns.map(\.name)).map(\.name)
    }

    /// SQL of what sets them.
    func assignments(in relation: Relation) -> String {
        let set = columns.map { "\($0.name.quotedIdentifier) = \($0.literal)" }
        return (set + relation.unchanged(besides: columns.map(\.name))).joined(separator: ", ")
    }
}
