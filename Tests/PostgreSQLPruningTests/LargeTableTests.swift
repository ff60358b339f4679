import Pruning
import TestSupport
import Retention
import Testing

@testable import PostgreSQLPruning

/// Some statements are sent, and some plans are refused, only where a table has many pages.
@Suite("Rules of every shape on PostgreSQL tables of thousands of pages")
struct LargeTableTests {
    /// A rule, and SQL of the rows of `t` that it leaves.
    struct Shape: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let left: String
        let isPartitioned: Bool
        let change: @Sendable (inout RetentionRule) -> Void

        init(
            _ name: String, left: String = "NOT old", isPartitioned: Bool = false,
            _ change: @escaping @Sendable (inout RetentionRule) -> Void
        ) {
            (testDescription, self.left, self.isPartitioned, self.change) = (
                name, left, isPartitioned, change
            )
        }

        var rule: RetentionRule {
            var rule = RetentionRule(
                name: "old", store: "s", table: "t", expiry: .age(column: "at", keep: Span(30, .day)),
                holdLimits: .noneAtAll)
            change(&rule)
            return rule
        }
    }

    private static let keeper = [ColumnReference(table: "k", column: "item")]
    private static let kept = "NOT old OR id IN (SELECT item FROM k)"
    private static let perGroup = "NOT old OR place_of_group <= 800"
    private static let tombstone = Tombstone(
        table: "gone", columns: [Tombstone.CopiedColumn("item", from: "id")], condition: nil)
    private static let mark = RowAction.mark([MarkedColumn("gone", .integer(1))])

    private static func keepsPerGroup(_ rule: inout RetentionRule) {
        (rule.keepLast, rule.keepLastPer) = (800, ["g"])
    }

    private static func archives(_ rule: inout RetentionRule) {
        (rule.archiveKeep, rule.identity) = (Span(30, .day), ["id"])
    }

    static let shapes = [
        Shape("plain") { _ in },
        Shape("where", left: "NOT old OR g <= 2") { $0.condition = "g > 2" },
        Shape("where with a subquery", left: "NOT old OR id NOT IN (SELECT item FROM k)") {
            $0.condition = "EXISTS (SELECT 1 FROM k WHERE k.item = t.id)"
        },
        Shape("kept_by", left: kept) { $0.keptBy = keeper },
        Shape("kept_by without an index", left: "NOT old OR id IN (SELECT item FROM n)") {
            $0.keptBy = [ColumnReference(table: "n", column: "item")]
        },
        Shape("keep_last", left: "NOT old OR place <= 4000") { $0.keepLast = 4_000 },
        Shape("keep_last_per", left: perGroup) { keepsPerGroup(&$0) },
        Shape("keep_last_per two columns", left: "NOT old OR place_of_two <= 400") {
            ($0.keepLast, $0.keepLastPer) = (400, ["g", "h"])
        },
        Shape("keep_last_per with kept_by", left: "\(perGroup) OR id IN (SELECT item FROM k)") {
            keepsPerGroup(&$0)
            $0.keptBy = keeper
        },
        Shape("tombstones") { $0.tombstone = tombstone },
        Shape("keep_last_per with tombstones", left: perGroup) {
            keepsPerGroup(&$0)
            $0.tombstone = tombstone
        },
        Shape("a mark") { $0.action = mark },
        Shape("keep_last_per with a mark", left: perGroup) {
            keepsPerGroup(&$0)
            $0.action = mark
        },
        Shape("dependents") { $0.dependents = ["d"] },
        Shape("keep_last_per with dependents", left: perGroup) {
            keepsPerGroup(&$0)
            $0.dependents = ["d"]
        },
        Shape("an archive") { archives(&$0) },
        Shape("keep_last_per with an archive", left: perGroup) {
            keepsPerGroup(&$0)
            archives(&$0)
        },
        Shape("a mark with an archive") {
            $0.action = mark
            archives(&$0)
        },
        Shape("no time", left: "id IN (SELECT item FROM k)") { ($0.expiry, $0.keptBy) = (.orphan, keeper) },
        Shape("partitions", isPartitioned: true) { _ in },
        Shape("keep_last_per of partitions", left: perGroup, isPartitioned: true) { keepsPerGroup(&$0) },
        Shape("keep_last_per of partitions with an archive", left: perGroup, isPartitioned: true) {
            keepsPerGroup(&$0)
            archives(&$0)
        },
    ]

    /// 6,000 rows on as many pages as two of them fill, each other one old, in groups of 1,200.
    private func database(_ shape: Shape) throws -> ArchivedDatabase {
        let columns = "id int NOT NULL, at timestamptz, g int, h int, gone int DEFAULT 0, body text"
        let table =
            shape.isPartitioned
            ? """
            CREATE TABLE t (\(columns)) PARTITION BY LIST (g);
            CREATE TABLE p1 PARTITION OF t FOR VALUES IN (0, 1) WITH (fillfactor = 10);
            CREATE TABLE p2 PARTITION OF t DEFAULT WITH (fillfactor = 10);
            """
            : "CREATE TABLE t (\(columns), PRIMARY KEY (id)) WITH (fillfactor = 10);"
        let dependent =
            shape.rule.dependents.isEmpty
            ? ""
            : """
            CREATE TABLE d (item int REFERENCES t ON DELETE CASCADE); CREATE INDEX ON d (item);
            INSERT INTO d SELECT id FROM t WHERE id % 4 < 2;
            """
        return try ArchivedDatabase(
            """
            \(table) CREATE INDEX ON t (at); CREATE INDEX ON t (g, at); CREATE INDEX ON t (g, h, at);
            CREATE TABLE k (item int PRIMARY KEY); INSERT INTO k SELECT i * 3 FROM generate_series(1, 2000) i;
            CREATE TABLE n (item int); INSERT INTO n SELECT item FROM k;
            INSERT INTO n SELECT nullif(i, 9999) FROM generate_series(7000, 12000) i;
            CREATE TABLE gone (item int PRIMARY KEY);
            INSERT INTO t SELECT i, CASE WHEN i % 2 = 0 THEN timestamptz '2026-10-01' ELSE '2026-11-19' END + i * interval '1 s',
            i / 2 % 5, nullif(i / 2 % 2, 0), 0, repeat('x', 300) FROM generate_series(1, 6000) i;
            \(dependent)
            """)
    }

    private func rows(_ condition: String, of app: OwnedDatabase) throws -> [Substring] {
        try app.psql(
            """
            SELECT id FROM (SELECT *, at < '2026-10-21' AS old, rank() OVER (ORDER BY at DESC) AS place, \
            rank() OVER (PARTITION BY g ORDER BY at DESC) AS place_of_group, \
            rank() OVER (PARTITION BY g, h ORDER BY at DESC) AS place_of_two FROM t) t WHERE \(condition) ORDER BY id
            """
        ).split(separator: "\n")
    }

    @Test(
        "what check accepts and a plan counts is what a run deletes", arguments: shapes, AccessPath.allCases)
    func run(_ shape: Shape, by path: AccessPath) throws {
        let database = try database(shape)
        let expected = try rows(shape.left, of: database.app)
        let store = try database.store()
        let view = try store.openView(RunControl(monotonic: systemMonotonic))
        defer { view.close() }
        try view.validate(shape.rule)
        let task = PruneTask(shape.rule, start: runStart, in: .gmt)
        #expect(try view.census(of: task).expired == 6_000 - expected.count)
        #expect(try view.fingerprint(of: task).rows == 6_000 - expected.count)

        let report = PruneRun.report([shape.rule], on: [store], accessPath: path).rules[0]
        #expect(report.outcome == .done && report.deleted == 6_000 - expected.count, "\(report)")
        #expect(try rows("gone = 0", of: database.app) == expected)
        #expect(
            try database.app.psql("SELECT count(*) FROM gone")
                == (shape.rule.tombstone == nil ? "0" : "\(report.deleted)"))
        #expect(try database.archivedRows() == (shape.rule.archiveKeep == nil ? 0 : report.deleted))
    }
}
