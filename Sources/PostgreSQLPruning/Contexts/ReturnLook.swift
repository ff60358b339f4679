import Archive
import FoundationEssentials
import Pruning
import Retention

/// Looks for rows that a rule deleted, and that are in the database again.
struct ReturnLook {
    let task: PruneTask
    let archive: any RowArchive
    let view: PostgreSQLView

    /// How many came back since the last look; nil if that is unknown.
    func take() throws(StoreError) -> Int64? {
        let (condition, columns, found) = try view.read(operation) { connection in
            let condition = try view.access.condition(of: task, in: connection)
            return (
                condition, try ArchivedColumns(of: condition.bound), try Start(condition, in: connection)
            )
        }
        guard let identity = columns?.identity,
            let identities = try archive.openIdentities(of: identity.source, view.connection.control)
        else { return nil }
        defer { identities.close() }
        let last = identities.lastLook
        let since = last?.identity == found.server ? last?.row : nil
        for (leaf, pages) in zip(condition.bound.leaves, found.pages) {
            try look(at: leaf, pages, identity.sql, since: since, condition, identities)
        }
        return try identities.end(LastLook(at: task.start, row: found.transaction, identity: found.server))
    }

    /// The state of the database when the look begins.
    private struct Start {
        /// All earlier transactions have ended by then, so that their rows are seen.
        let transaction: Int64?
        /// The server, as far as numbers of transactions mean the same, and the table.
        let server: UInt64
        let pages: [Int64]

        init(_ condition: ExpiryCondition, in connection: Connection) throws {
            let identity = try ServerIdentity(connection.run(ServerIdentity.question))
            transaction = try connection.query("SELECT pg_snapshot_xmin(pg_current_snapshot())").integer(0, 0)
            let numbers = "\(identity?.system ?? "") \(identity?.timeline ?? "")"
            let text = "\(numbers) \(condition.bound.relation.oid)"
            server = Leases.fingerprint(of: text.utf8)
            pages = try condition.bound.leaves.map {
                try connection.query(
                    "SELECT pg_relation_size($1::oid::regclass) / current_setting('block_size')::int",
                    ["\($0.oid)"]
                ).integer(0, 0) ?? 0
            }
        }
    }

    /// Looks at the rows of a table, in pieces, so that no transaction is open for long.
    private func look(
        at leaf: Relation, _ pages: Int64, _ identity: String, since: Int64?, _ condition: ExpiryCondition,
        _ identities: any ArchivedIdentities
    ) throws(StoreError) {
        let question = Self.question(leaf, identity, since: since, condition)
        var (page, count): (Int64, Int64) = (0, Self.firstPages)
        while page < pages {
            let begin = view.access.monotonic()
            let end = min(pages, page + count)
            let found = try view.read(operation) { connection in
                let rows = try connection.query(question, ["(\(page),0)", "(\(end),0)"])
                return (0..<rows.count).map { IdentityColumns.number(rows, $0, 0) }
            }
            let distinct = Set(found).subtracting([0]).sorted()
            if !distinct.isEmpty { try identities.take(distinct) }
            page = end
            let taken = view.access.monotonic() - begin
            count = max(1, min(Self.mostPages, taken > Self.usualTime ? count / 2 : count * 2))
        }
    }

    private static let firstPages: Int64 = 256
    private static let mostPages: Int64 = 16_384
    private static let usualTime = Duration.milliseconds(50)
    /// Transactions may begin between a snapshot and its use.
    private static let margin: Int64 = 100_000

    /// The identities of the rows of a range of pages that were written since the transaction `since`, whatever they were
    /// before; of all rows without one. A marked row is not back. A row with a lease was put back by a restore.
    private static func question(
        _ leaf: Relation, _ identity: String, since: Int64?, _ condition: ExpiryCondition
    ) -> String {
        let alias = condition.bound.relation.alias
        var terms = ["\(alias).ctid >= $1::tid", "\(alias).ctid < $2::tid"] + condition.notGone
        terms += [condition.leased?.isAbsent].compactMap(\.self)
        if let since {
            // Of very old rows that are frozen, the age may look small. They are compared like the others.
            terms.append(
                "age(\(alias).xmin) <= pg_snapshot_xmax(pg_current_snapshot())::text::bigint - \(since) + \(margin)"
            )
        }
        let from = condition.from(leaf)
        return """
            SELECT * FROM (\(condition.with(of: from))SELECT \(identity) AS number \(from) \
            WHERE \(terms.joined(separator: " AND "))) found WHERE number IS NOT NULL
            """
    }

    private var operation: String { RuleWork.lookForReturned.of(task.rule.table) }
}
