import Foundation
import Pruning
import TestSupport
import Retention
import Synchronization
import Testing

@testable import PostgreSQLPruning

@Suite(
    "Partitions that go as a whole",
    .enabled(if: PostgreSQLPrograms.installed != nil, "\(PostgreSQLPrograms.comment)"))
struct PartitionDropTests {
    /// Partitions of ten days: p0 to p5 have expired on the run's day, p9 has its rows.
    private static let table = """
        CREATE TABLE t (id int, at timestamptz NOT NULL) PARTITION BY RANGE (at);
        DO $$ BEGIN FOR n IN 0..9 LOOP EXECUTE format('CREATE TABLE p%s PARTITION OF t FOR VALUES FROM (%L) TO (%L)', n,
        timestamptz '2026-08-20 00:00Z' + interval '10 days' * n, timestamptz '2026-08-30 00:00Z' + interval '10 days' * n);
        END LOOP; END $$;
        INSERT INTO t SELECT n, timestamptz '2026-08-20 00:00Z' + interval '1 day' * n FROM generate_series(0, 99) n;
        """

    private func owned(_ sql: String = "") throws -> OwnedDatabase {
        let owned = try OwnedDatabase(Self.table + sql)
        try owned.database.psql("GRANT \(owned.owner) TO \(owned.role)")
        return owned
    }

    private var rule: RetentionRule {
        RetentionRule(
            name: "old", store: "s", table: "t", expiry: .age(column: "at", keep: Span(30, .day)),
            holdLimits: .noneAtAll, partitions: .drop)
    }

    private func tables(_ owned: OwnedDatabase) throws -> String {
        try owned.psql(
            "SELECT string_agg(relname, ' ' ORDER BY relname) FROM pg_class WHERE relkind = 'r' AND relname ~ '^p[0-9]$'"
        )
    }

    /// The state that a kill leaves between two steps of a drop.
    private func interruptDetach(of leaf: String, in owned: OwnedDatabase) throws {
        let oids = try owned.psql("SELECT '\(leaf)'::regclass::oid, 't'::regclass::oid").split(separator: "|")
        let comment =
            "pruned detaches table public.\(leaf) (\(oids[0])) from table \(oids[1]) to drop it; without this comment it stays"
        try owned.psql("COMMENT ON TABLE \(leaf) IS '\(comment)'")
        let reader = try owned.database.session(user: owned.owner)
        try reader.run("BEGIN")
        try reader.run("SELECT count(*) FROM t")
        let detaching = try owned.database.session(user: owned.owner)
        try detaching.send("ALTER TABLE t DETACH PARTITION \(leaf) CONCURRENTLY")
        try wait(for: "the first half") {
            try owned.psql("SELECT count(*) FROM pg_inherits WHERE inhdetachpending") == "1"
        }
        try owned.database.psql("SELECT pg_terminate_backend(\(detaching.backend))")
        try reader.run("ROLLBACK")
        try wait(for: "the end of the other half") {
            try owned.database.psql("SELECT count(*) FROM pg_stat_activity WHERE pid = \(detaching.backend)")
                == "0"
        }
    }

    @Test("Whole partitions are dropped and counted, and the rows of the one on the border go one by one")
    func dropped() throws {
        let owned = try owned()
        let border = try #require(
            Int(try owned.psql("SELECT count(*) FROM t WHERE at < '2026-10-21 12:00Z'")))
        let report = try owned.outcome(rule)
        #expect(report.outcome == .done && Int(report.deleted) == border, "\(report)")
        #expect(try tables(owned) == "p6 p7 p8 p9")
        #expect(try owned.psql("SELECT count(*) FROM t") == "\(100 - border)")
    }

    @Test(
        "A detachment that was interrupted is finished, though nothing else has expired",
        arguments: [true, false])
    func interrupted(isIndexed: Bool) throws {
        let owned = try owned(isIndexed ? "CREATE INDEX ON t (at);" : "")
        _ = try owned.outcome(rule)
        let left = try tables(owned)
        try owned.psql(
            """
            CREATE TABLE p0 PARTITION OF t FOR VALUES FROM ('2026-08-20 00:00Z') TO ('2026-08-30 00:00Z');
            INSERT INTO t SELECT n, '2026-08-21' FROM generate_series(1, 7) n
            """)
        try interruptDetach(of: "p0", in: owned)
        #expect(try owned.psql("SELECT count(*) FROM t WHERE at < '2026-08-30 00:00Z'") == "0")
        let plan = try owned.outcome(rule, dryRun: true)
        #expect(plan.expired == 7, "\(plan)")
        let report = try owned.outcome(rule)
        #expect(report.outcome == .done && report.deleted == 7, "\(report)")
        #expect(try tables(owned) == left)
    }

    @Test("A partition that was detached and not dropped is dropped, unless it has got rows that stay")
    func detached() throws {
        let owned = try owned("CREATE INDEX ON t (at);")
        _ = try owned.outcome(rule)
        try owned.psql(
            """
            CREATE TABLE p0 PARTITION OF t FOR VALUES FROM ('2026-08-20 00:00Z') TO ('2026-08-30 00:00Z');
            INSERT INTO t SELECT n, '2026-08-21' FROM generate_series(1, 7) n
            """)
        try interruptDetach(of: "p0", in: owned)
        try owned.psql("ALTER TABLE t DETACH PARTITION p0 FINALIZE")
        // As a detachment leaves it.
        try owned.psql("ALTER TABLE p0 DROP CONSTRAINT p0_at_check; INSERT INTO p0 VALUES (8, '2026-11-18')")
        let refused = try owned.outcome(rule)
        #expect(refused.failure?.kind == .fault(.unsafe) && refused.deleted == 0, "\(refused)")
        #expect(try owned.psql("SELECT count(*) FROM p0") == "8")
        try owned.psql("DELETE FROM p0 WHERE id = 8")
        let report = try owned.outcome(rule)
        #expect(report.outcome == .done && report.deleted == 7, "\(report)")
    }

    @Test("A partition that was detached and then renamed by somebody stays")
    func renamed() throws {
        let owned = try owned("CREATE INDEX ON t (at);")
        _ = try owned.outcome(rule)
        try owned.psql(
            """
            CREATE TABLE p0 PARTITION OF t FOR VALUES FROM ('2026-08-20 00:00Z') TO ('2026-08-30 00:00Z');
            INSERT INTO t SELECT n, '2026-08-21' FROM generate_series(1, 7) n
            """)
        try interruptDetach(of: "p0", in: owned)
        try owned.psql("ALTER TABLE t DETACH PARTITION p0 FINALIZE; ALTER TABLE p0 RENAME TO kept")
        let report = try owned.outcome(rule)
        #expect(report.outcome == .done && report.deleted == 0, "\(report)")
        #expect(try owned.psql("SELECT count(*) FROM kept") == "7")
    }

    @Test(
        "A partition that something else needs is not detached, and the error names that",
        arguments: [
            "CREATE VIEW first AS SELECT * FROM p0", "CREATE TABLE others (one p0)",
            "CREATE TABLE notes (id int); ALTER TABLE p0 ADD PRIMARY KEY (id); ALTER TABLE notes ADD FOREIGN KEY (id) REFERENCES p0",
            "CREATE SEQUENCE counted OWNED BY p0.id; ALTER TABLE ONLY t ALTER id SET DEFAULT nextval('counted')",
            "CREATE FUNCTION first() RETURNS bigint LANGUAGE sql BEGIN ATOMIC SELECT count(*) FROM p0; END",
        ])
    func needed(sql: String) throws {
        let owned = try owned(sql)
        let before = try tables(owned)
        let report = try owned.outcome(rule)
        #expect(report.outcome == .failed && report.deleted == 0, "\(report)")
        #expect(try tables(owned) == before)
        #expect(try owned.psql("SELECT count(*) FROM t") == "100")
    }

    @Test("What belongs to the partition alone goes with it")
    func own() throws {
        let owned = try owned(
            """
            CREATE TABLE feeds (id int PRIMARY KEY); INSERT INTO feeds SELECT generate_series(0, 99);
            ALTER TABLE t ADD FOREIGN KEY (id) REFERENCES feeds; ALTER TABLE p0 ADD CHECK (id < 100);
            ALTER TABLE p0 ALTER id SET DEFAULT 7; CREATE INDEX ON p0 ((id + 1)); CREATE STATISTICS own ON id, at FROM p0;
            """)
        let report = try owned.outcome(rule)
        #expect(report.outcome == .done, "\(report)")
        #expect(try owned.psql("SELECT to_regclass('p0') IS NULL") == "t")
    }

    @Test("A transaction that is open for long puts a drop off, and nothing is detached")
    func longTransaction() throws {
        let owned = try owned()
        let before = try tables(owned)
        let reader = try owned.database.session(user: owned.owner)
        try reader.run("BEGIN")
        try reader.run("SELECT count(*) FROM t")
        try wait(for: "a second") {
            try owned.psql(
                "SELECT count(*) > 0 FROM pg_stat_activity WHERE pid = \(reader.backend) AND xact_start < clock_timestamp() - interval '1 s'"
            ) == "t"
        }
        let report = try owned.outcome(rule)
        #expect(report.outcome == .skipped && report.deleted == 0, "\(report)")
        #expect(try tables(owned) == before)
        #expect(try owned.psql("SELECT count(*) FROM t") == "100")
        try reader.run("ROLLBACK")
        #expect(try owned.outcome(rule).outcome == .done)
    }

    @Test("A drop whose answer is lost is counted, and the run goes on")
    func lostAnswer() throws {
        let owned = try owned()
        let hasDropped = Mutex(false)
        let proxy = try CuttingProxy(
            before: PostgreSQLServer.shared,
            [
                .init(.afterAnswer) { sql in
                    hasDropped.withLock { hasDropped in
                        if sql.hasPrefix("DROP TABLE") { hasDropped = true }
                        return hasDropped && CuttingProxy.commits(sql)
                    }
                }
            ])
        let url = proxy.url(database: owned.database.name, user: owned.role)
        let store = PostgreSQLStore(
            StoreDefinition(name: "s", kind: .postgresql(try ConnectionString(url))), url: url,
            holder: "pruned test:1", monotonic: systemMonotonic)
        let report = PruneRun.report([rule], on: [store]).rules[0]
        #expect(proxy.cuts == 1)
        #expect(report.outcome == .done, "\(report)")
        #expect(try owned.psql("SELECT count(*) FROM t") == "\(100 - Int(report.deleted))")
        #expect(try tables(owned) == "p6 p7 p8 p9")
    }
}
