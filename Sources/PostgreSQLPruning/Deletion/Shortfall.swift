import Pruning
import Retention
import TerminalText

/// Why counted rows were not deleted, asked after the last batch.
struct Shortfall {
    let condition: ExpiryCondition
    /// The tables that may still have rows.
    let leaves: [Relation]
    /// By which the rows were counted.
    let countedSince: CountedSnapshot
    /// The number of rows that were counted, and of those that were deleted.
    let counted: Int64, deleted: Int64
    /// Whether batches went past rows that others had locked.
    let hasPassedLocks: Bool

    private var bound: BoundRule { condition.bound }
    private var alias: String { bound.relation.alias }

    /// The error; nil if every row that is still there has changed since, or came since.
    func error(in connection: Connection) throws -> StoreError? {
        let left = try leaves.reduce(0) { try $0 + count(in: $1, connection) }
        guard left > 0 else { return nil }
        let areLocked = try hasPassedLocks || !leaves.contains { try hasFreeRow($0, in: connection) }
        let table = bound.relation.description
        let operation = RuleWork.deleteExpired.of(table)
        guard areLocked else {
            return StoreError(
                .other, operation: operation, place: connection.place,
                cause: "\(counted.grouped) rows had expired, \(deleted.grouped) were deleted, and"
                    + " \(left.grouped) are still there, unchanged and not locked",
                hint: bound.ownKeys.isEmpty
                    ? "nothing is known to be wrong with them: an extension that stores \(table) may hide them"
                    : StoreHint.circle(in: table))
        }
        return StoreError(
            .locked, operation: operation, place: connection.place,
            cause: "\(left.grouped) of \(counted.grouped) expired rows were skipped: others have them locked",
            hint: "the next run takes them; pg_stat_activity shows which transactions are open")
    }

    private func rows(of leaf: Relation) -> (with: String, place: String) {
        let from = condition.from(leaf)
        let terms = condition.terms + [countedSince.hadCommitted(alias + ".xmin")]
        return (
            condition.with(of: from),
            "\(from)\(condition.join) WHERE \(terms.joined(separator: " AND "))"
        )
    }

    private func count(in leaf: Relation, _ connection: Connection) throws -> Int64 {
        let rows = rows(of: leaf)
        return try connection.query("\(rows.with)SELECT count(*) \(rows.place)").integer(0, 0) ?? 0
    }

    /// Whether one of the rows could be locked now.
    private func hasFreeRow(_ leaf: Relation, in connection: Connection) throws -> Bool {
        let rows = rows(of: leaf)
        let found = try connection.query(
            "\(rows.with)SELECT \(alias).ctid \(rows.place) LIMIT \(Self.mostTried)")
        let places = (0..<found.count).compactMap { found.text($0, 0) }
        return try connection.query(
            """
            SELECT 1 FROM ONLY \(leaf.sql) AS \(alias) WHERE \(alias).ctid = ANY ($1::tid[]) LIMIT 1 \
            FOR UPDATE OF \(alias) SKIP LOCKED
            """, [.arrayLiteral(places)]
        ).count > 0
    }

    private static let mostTried = 1_000
}
