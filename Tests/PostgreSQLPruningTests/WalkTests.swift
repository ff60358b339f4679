import Pruning
import TestSupport
import Retention
import Synchronization
import Testing

@testable import PostgreSQLPruning

/// The whole of a table is visited, whatever others do meanwhile.
@Suite("The walk over a PostgreSQL table")
struct WalkTests {
    private static let old = "timestamptz '2026-10-01'"

    private func rule(keepLast: Int64? = nil, per: [String] = [], keptBy: [String] = []) -> RetentionRule {
        RetentionRule(
            name: "old", store: "s", table: "t", expiry: .age(column: "at", keep: Span(30, .day)),
            keptBy: keptBy.compactMap { ColumnReference($0) }, keepLast: keepLast, keepLastPer: per,
            holdLimits: .noneAtAll)
    }

    private func table(_ rows: String, further: String = "") throws -> OwnedDatabase {
        try OwnedDatabase(
            """
            CREATE TABLE t (id int PRIMARY KEY, at timestamptz, g int, body text) WITH (fillfactor = 100);
            CREATE INDEX ON t (at); CREATE INDEX ON t (g, at);
            CREATE TABLE k (item int PRIMARY KEY);
            INSERT INTO t SELECT i, \(rows) FROM generate_series(1, 3000) i;
            \(further)
            """)
    }

    /// A session that keeps rows locked until the first batch is committed.
    private func prune(
        _ rule: RetentionRule, _ database: OwnedDatabase, _ path: AccessPath?, meanwhile sql: String,
        beforehand: String? = nil
    ) throws -> RuleReport {
        let session = try database.database.session(user: database.owner)
        if let beforehand { try session.run(beforehand) }
        let isFirst = Mutex(true)
        return try database.prune([rule], accessPath: path) { event in
            guard case .batchCommitted = event,
                isFirst.withLock({ isFirst in
                    defer { isFirst = false }
                    return isFirst
                })
            else { return }
            _ = try? session.run(sql)
        }[0]
    }

    @Test("rows that were locked are visited again at the end", arguments: AccessPath.allCases)
    func locked(path: AccessPath) throws {
        for keptBy in [[], ["k.item"]] {
            let database = try table("\(Self.old) + i * interval '1 second', i % 7, repeat('x', 500)")
            let report = try prune(
                rule(keptBy: keptBy), database, path, meanwhile: "COMMIT",
                beforehand: "BEGIN; SELECT FROM t WHERE id % 50 = 3 FOR UPDATE")
            #expect(report.outcome == .done && report.deleted == 3_000, "\(report)")
            #expect(try database.psql("SELECT count(*) FROM t") == "0")
        }
    }

    @Test(
        "many rows of one time go, of which some stay as the newest of their group",
        arguments: AccessPath.allCases)
    func equalTimes(path: AccessPath) throws {
        // All rows of group 0 are as old as its newest. The others have a newer row each.
        let database = try table(
            "\(Self.old), CASE WHEN i <= 2000 THEN 0 ELSE i END, ''",
            further:
                "INSERT INTO t SELECT i + 10000, \(Self.old) + interval '1 day', i FROM generate_series(2001, 3000) i;"
        )
        let report = try database.outcome(rule(keepLast: 1, per: ["g"]), accessPath: path)
        #expect(report.outcome == .done && report.deleted == 1_000, "\(report)")
        #expect(try database.psql("SELECT count(*) FROM t WHERE at = \(Self.old)") == "2000")
        let again = try database.outcome(rule(), accessPath: path)
        #expect(again.deleted == 3_000)
    }

    @Test("rows that the app adds, moves and deletes meanwhile", arguments: AccessPath.allCases)
    func app(path: AccessPath) throws {
        for keptBy in [[], ["k.item"]] {
            let database = try table("\(Self.old) + i * interval '1 second', i % 7, repeat('x', 500)")
            let report = try prune(
                rule(keptBy: keptBy), database, path,
                meanwhile: """
                    DELETE FROM t WHERE id IN (2990, 2991); UPDATE t SET body = repeat('y', 600) WHERE id > 2992;
                    UPDATE t SET at = '2026-11-19' WHERE id = 2992; INSERT INTO k VALUES (2989);
                    INSERT INTO t SELECT i, \(Self.old) FROM generate_series(10001, 10500) i
                    """)
            #expect(report.outcome == .done && report.deleted <= 3_000, "\(report)")
            #expect(try database.psql("SELECT count(*) FROM t WHERE id = 2992") == "1")
            // Without a keeper, a row of the app's may be taken in its place: no more go than were counted.
            if !keptBy.isEmpty {
                #expect(try database.psql("SELECT count(*) FROM t WHERE id = 2989") == "1")
            }
            let next = try database.outcome(rule(keptBy: keptBy), accessPath: path)
            #expect(next.outcome == .done)
            #expect(try database.psql("SELECT count(*) FROM t WHERE id NOT IN (2989, 2992)") == "0")
        }
    }

    @Test("tables without rows, of one page, and with values out of line", arguments: AccessPath.allCases)
    func sizes(path: AccessPath) throws {
        let database = try table("\(Self.old), 1, ''", further: "DELETE FROM t;")
        #expect(try database.outcome(rule(), accessPath: path).outcome == .done)
        try database.psql(
            """
            INSERT INTO t SELECT i, \(Self.old), 1, (SELECT string_agg(md5(random()::text), '') FROM generate_series(1, 400 + i))
            FROM generate_series(1, 20) i; INSERT INTO t VALUES (99, '2026-11-19')
            """)
        #expect(try database.outcome(rule(), accessPath: path).deleted == 20)
        #expect(try database.psql("SELECT id FROM t") == "99")
    }

    /// With the rate of a store, a batch begins with one page and grows no larger than the rate.
    @Test(
        "At a rate, batches have what may go in a second or one page, and the rows take their time",
        arguments: AccessPath.allCases)
    func rate(path: AccessPath) throws {
        let rate = 50
        let news = try PrunedNews(articles: 300)
        let largest = Mutex(Int64(0))
        try news.database.psql("CREATE INDEX ON items (at); ANALYZE", user: news.owner)
        let store = try news.store(rate: rate)
        let start = ContinuousClock.now
        let report = PruneRun.report([news.rule], on: [store], accessPath: path) { event in
            guard case .batchCommitted(_, let batch) = event else { return }
            largest.withLock { $0 = max($0, batch.deleted) }
        }.rules[0]
        #expect(report.outcome == .done && report.deleted == Int64(news.expired), "\(report)")
        // A page has about 30 of these rows.
        #expect(largest.withLock { $0 } <= Int64(rate), "\(report)")
        // After the last batch nobody waits.
        let paced = Double(Int64(news.expired) - largest.withLock { $0 }) / Double(rate)
        #expect(ContinuousClock.now - start >= .seconds(paced) * 0.99)
    }
}
