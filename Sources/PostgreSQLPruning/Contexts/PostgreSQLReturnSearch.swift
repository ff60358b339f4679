import Archive
import FoundationEssentials
import Pruning
import Retention

/// Reads the rows of a rule's table that may have come back, a range of pages at a time, so that no transaction is open for
/// long.
struct PostgreSQLReturnSearch: ReturnSearch {
    private let task: PruneTask
    private let view: PostgreSQLView
    private let condition: ExpiryCondition
    private let identity: IdentityColumns?

    init(_ task: PruneTask, in view: PostgreSQLView) throws(StoreError) {
        (self.task, self.view) = (task, view)
        (condition, identity) = try view.read(RuleWork.lookForReturned.of(task.rule.table)) { connection in
            let condition = try view.access.condition(of: task, in: connection)
            return (condition, try ArchivedColumns(of: condition.bound)?.identity)
        }
    }

    /// Pages of a table, from one to another.
    struct Pages {
        /// SQL for the identities on a range of pages.
        let question: String
        var next: Int64 = 0
        let end: Int64
    }

    var source: IdentitySource? { identity?.source }
    var pace: ReturnPace? { nil }

    func begin(since last: LastLook?) throws(StoreError) -> (look: LastLook, pieces: [Pages]) {
        try view.read(RuleWork.lookForReturned.of(task.rule.table)) { connection in
            // All earlier transactions have ended by then, so that their rows are seen.
            let transaction = try connection.query("SELECT pg_snapshot_xmin(pg_current_snapshot())")
                .integer(0, 0)
            let server = try self.server(in: connection)
            let since = last?.identity == server ? last?.row : nil
            let pieces = try self.condition.bound.leaves.map { leaf in
                let pages = try connection.query(
                    "SELECT pg_relation_size($1::oid::regclass) / current_setting('block_size')::int",
                    ["\(leaf.oid)"]
                ).integer(0, 0)
                return Pages(question: self.question(leaf, since: since), end: pages ?? 0)
            }.filter { $0.end > 0 }
            return (LastLook(at: self.task.start, row: transaction, identity: server), pieces)
        }
    }

    /// The server, as far as numbers of transactions mean the same, and the table.
    private func server(in connection: Connection) throws -> UInt64 {
        let identity = try ServerIdentity(connection.run(ServerIdentity.question))
        let numbers = "\(identity?.system ?? "") \(identity?.timeline ?? "")"
        return Leases.fingerprint(of: "\(numbers) \(condition.bound.relation.oid)".utf8)
    }

    /// About as many rows are on a page.
    private static let rowsOfPage = 64

    func read(_ piece: Pages, rows: Int) throws(StoreError) -> (identities: [UInt64], rest: Pages?) {
        let end = min(piece.end, piece.next + Int64(max(1, rows / Self.rowsOfPage)))
        let found = try view.read(RuleWork.lookForReturned.of(task.rule.table)) { connection in
            let rows = try connection.query(piece.question, ["(\(piece.next),0)", "(\(end),0)"])
            return (0..<rows.count).map { IdentityColumns.number(rows, $0, 0) }
        }
        var rest = piece
        rest.next = end
        return (found, end < piece.end ? rest : nil)
    }

    /// Transactions may begin between a snapshot and its use.
    private static let margin: Int64 = 100_000

    /// The identities of the rows of a range of pages that were written since the transaction `since`, whatever they were
    /// before; of all rows without one.
    private func question(_ leaf: Relation, since: Int64?) -> String {
        let alias = condition.bound.relation.alias
        var terms = ["\(alias).ctid >= $1::tid", "\(alias).ctid < $2::tid"] + condition.notGone
        terms += [condition.leased?.isAbsent].compactMap(\.self)
        if let since {
            // Of very old rows that are frozen, the age may look small. They are compared like the others.
            terms.append(
                "age(\(alias).xmin) <= pg_snapshot_xmax(pg_current_snapshot())::text::bigint - \(since) + \(Self.margin)"
            )
        }
        let from = condition.from(leaf)
        return """
            SELECT * FROM (\(condition.with(of: from))SELECT \(identity?.sql ?? "NULL") AS number \(from) \
            WHERE \(terms.joined(separator: " AND "))) found WHERE number IS NOT NULL
            """
    }
}
