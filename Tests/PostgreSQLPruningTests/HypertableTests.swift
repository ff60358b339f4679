import Archive
import Foundation
import Pruning
import Retention
import Synchronization
import TestSupport
import Testing

@testable import PostgreSQLPruning

@Suite(
    "Hypertables of TimescaleDB",
    .enabled(
        if: PostgreSQLPrograms.timescale != nil,
        "needs TIMESCALE_PG_BIN, the directory of the programs of a server that has TimescaleDB"))
struct HypertableTests {
    private static let server = Result {
        var configuration = PostgreSQLConfiguration([
            "shared_preload_libraries": "'timescaledb'", "timescaledb.telemetry_level": "off",
        ])
        configuration.build = .timescale
        return try PostgreSQLServer.start(configuration: configuration)
    }

    /// Readings of forty days, one an hour, the last at the start of the run; those of seven devices take turns.
    private static let readings = """
        INSERT INTO m SELECT timestamptz '2026-11-20 12:00Z' - n * interval '1 hour', n % 7, n FROM generate_series(0, 959) n
        """

    private let database: OwnedDatabase

    init() throws {
        database = try OwnedDatabase(
            """
            CREATE TABLE m (at timestamptz NOT NULL, device int, reading int);
            SELECT create_hypertable('m', 'at', chunk_time_interval => interval '1 day'); \(Self.readings)
            """, setup: "CREATE EXTENSION timescaledb", on: Self.server.get())
    }

    private func rule(_ change: (inout RetentionRule) -> Void = { _ in }) -> RetentionRule {
        var rule = RetentionRule(
            name: "old", store: "s", table: "m", expiry: .age(column: "at", keep: Span(30, .day)),
            holdLimits: .noneAtAll)
        change(&rule)
        return rule
    }

    private func grantOwner() throws {
        try database.database.psql("GRANT \(database.owner) TO \(database.role)")
    }

    private func chunks() throws -> Int? { Int(try database.psql("SELECT count(*) FROM show_chunks('m')")) }

    @Test("chunks of which all rows have expired are dropped, and the rows of others go one by one")
    func drop() throws {
        try grantOwner()
        let rule = rule { $0.partitions = .drop }
        let before = try #require(try chunks())
        let report = try database.outcome(rule)
        #expect(try database.outcome(rule, dryRun: true).expired == 0)
        #expect(report.outcome == .done && report.deleted == 239 && report.expired == 239, "\(report)")
        // The last day of those that go has rows that stay.
        #expect(try chunks() == before - 10)
        #expect(try database.psql("SELECT count(*), min(at) FROM m") == "721|2026-10-21 12:00:00+00")
    }

    @Test("rules of every kind judge the rows of chunks as those of a table", arguments: [false, true])
    func likeATable(byIndex: Bool) throws {
        try database.psql(
            """
            CREATE TABLE label (device int); INSERT INTO label VALUES (3); CREATE INDEX ON label (device);
            CREATE TABLE t AS SELECT * FROM m; CREATE INDEX ON t (at); CREATE INDEX ON t (device, at);
            CREATE INDEX ON m (device, at); ANALYZE
            """)
        let counts = try ["m", "t"].map { table in
            let rule = rule {
                $0.table = table
                $0.condition = "reading <> 800"
                $0.protect = ["EXISTS (SELECT 1 FROM label WHERE label.device = \(table).device)"]
                ($0.keepLast, $0.keepLastPer) = (110, ["device"])
            }
            let expired = try database.outcome(rule, dryRun: true).expired
            let report = try database.outcome(rule, accessPath: byIndex ? .index : .walk)
            #expect(report.outcome == .done && report.deleted == expired, "\(report)")
            return report.deleted
        }
        #expect(counts[0] == counts[1] && counts[0] > 10, "\(counts)")
        #expect(try database.psql("SELECT count(*) FROM (TABLE m EXCEPT ALL TABLE t) d") == "0")
        #expect(try database.psql("SELECT count(*) FROM (TABLE t EXCEPT ALL TABLE m) d") == "0")
    }

    @Test("what a continuous aggregate is refreshed from does not go; after the hint it does")
    func aggregate() throws {
        try database.psql(
            """
            CREATE MATERIALIZED VIEW days WITH (timescaledb.continuous) AS
            SELECT time_bucket('1 day', at) AS day, count(*) AS readings FROM m GROUP BY 1
            """)
        let policy =
            "SELECT add_continuous_aggregate_policy('days', %s, interval '1 hour', interval '1 hour')"
        for offset in ["interval '2 months'", "NULL"] {
            try database.psql(policy.replacing("%s", with: offset))
            for dryRun in [true, false] {
                let report = try database.outcome(rule(), dryRun: dryRun)
                #expect(report.outcome == .failed, "\(report)")
                #expect(
                    report.failure?.cause.hasPrefix("the continuous aggregate days is refreshed from") == true
                )
            }
            try database.psql("SELECT remove_continuous_aggregate_policy('days')")
        }
        try database.psql(policy.replacing("%s", with: "interval '20 days'"))
        let all = try database.psql("SELECT sum(readings) FROM days")
        #expect(try database.outcome(rule()).deleted == 239)
        let job = try database.psql(
            "SELECT job_id FROM timescaledb_information.jobs WHERE hypertable_name = 'days'")
        try database.database.psql("CALL run_job(\(job))")
        #expect(try database.psql("SELECT sum(readings) FROM days") == all)
    }

    @Test("a compressed chunk is refused by its name, and nothing goes")
    func compressed() throws {
        try database.psql(
            "ALTER TABLE m SET (timescaledb.compress); SELECT compress_chunk((SELECT show_chunks('m') ORDER BY 1 LIMIT 1))"
        )
        let report = try database.outcome(rule())
        #expect(report.outcome == .failed, "\(report)")
        let cause = try #require(report.failure?.cause)
        #expect(cause.contains("_chunk is a compressed chunk"), "\(cause)")
        #expect(try database.psql("SELECT count(*) FROM m") == "960")
        try database.psql("SELECT decompress_chunk('\(cause.prefix { $0 != " " })')")
        #expect(try database.outcome(rule()).deleted == 239)
    }

    @Test("a role that does not own the table is told the GRANT, and a second dimension is no range of times")
    func refused() throws {
        let rule = rule { $0.partitions = .drop }
        let report = try database.outcome(rule)
        #expect(report.outcome == .failed && report.failure?.cause.contains("only the owner of m") == true)
        try database.database.psql(try #require(report.failure?.hint))
        #expect(try database.outcome(rule, dryRun: true).expired == 239)
        try database.psql(
            """
            CREATE TABLE two (at timestamptz NOT NULL, device int);
            SELECT create_hypertable('two', 'at', 'device', 2)
            """)
        var two = rule
        two.table = "two"
        let refused = try database.outcome(two)
        #expect(refused.failure?.cause == "the chunks of two are not ranges of at alone", "\(refused)")
    }

    @Test("a trigger that somebody put on a chunk does not run")
    func trigger() throws {
        try database.psql(
            """
            CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN OLD; END';
            DO $$ BEGIN EXECUTE 'CREATE TRIGGER own BEFORE DELETE ON ' || (SELECT show_chunks('m') ORDER BY 1 LIMIT 1)
            || ' FOR EACH ROW EXECUTE FUNCTION f()'; END $$
            """)
        let report = try database.outcome(rule())
        #expect(report.failure?.cause.hasPrefix("trigger own on ") == true, "\(report)")
        #expect(try database.psql("SELECT count(*) FROM m") == "960")
    }

    @Test("a dimension that is made by a function of the owner's is refused before the function runs")
    func partitioningFunction() throws {
        try database.psql(
            """
            CREATE FUNCTION f(timestamptz) RETURNS timestamptz LANGUAGE plpgsql IMMUTABLE AS
            'BEGIN IF current_user <> ''\(database.owner)'' THEN RAISE EXCEPTION ''ran''; END IF; RETURN $1; END';
            CREATE TABLE made (at timestamptz NOT NULL);
            SELECT create_hypertable('made', 'at', time_partitioning_func => 'public.f', create_default_indexes => false);
            INSERT INTO made VALUES ('2026-01-01')
            """)
        let report = try database.outcome(rule { $0.table = "made" })
        #expect(
            report.failure?.cause.hasPrefix("a dimension of made is made by the function f") == true,
            "\(report)")
    }

    @Test("an aggregate that does not have yet what would go is no reason to lose it")
    func behind() throws {
        try database.psql(
            """
            CREATE MATERIALIZED VIEW days WITH (timescaledb.continuous) AS
            SELECT time_bucket('1 day', at) AS day, count(*) AS readings FROM m GROUP BY 1 WITH NO DATA;
            SELECT add_continuous_aggregate_policy('days', interval '20 days', interval '1 hour', interval '1 hour')
            """)
        let report = try database.outcome(rule())
        #expect(report.failure?.cause.hasPrefix("the continuous aggregate days does not have yet") == true)
        try database.psql(try #require(report.failure?.hint))
        #expect(try database.outcome(rule()).deleted == 239)
        #expect(try database.psql("SELECT sum(readings) FROM days") == "960")
    }

    @Test("a chunk that was compressed after the count stays")
    func compressedMeanwhile() throws {
        try grantOwner()
        try database.psql("ALTER TABLE m SET (timescaledb.compress)")
        let database = database
        let done = Mutex(false)
        let report = try database.prune([rule { $0.partitions = .drop }]) { event in
            guard case .ruleStarted = event,
                !done.withLock({ was in
                    defer { was = true }; return was
                })
            else { return }
            _ = try? database.psql(
                "SELECT compress_chunk(c) FROM show_chunks('m', older_than => timestamptz '2026-10-15') c")
        }[0]
        #expect(report.outcome == .failed && report.deleted == 0, "\(report)")
        #expect(try database.psql("SELECT count(*) FROM m") == "960")
    }

    @Test("beside a transaction that reads the table, a chunk stays, and the next run drops it")
    func reader() throws {
        try grantOwner()
        let rule = rule { $0.partitions = .drop }
        let app = try database.app()
        try app.execute("BEGIN; SELECT count(*) FROM m")
        let report = try database.outcome(rule)
        #expect(report.outcome == .skipped && report.failure?.kind == .fault(.busy), "\(report)")
        #expect(try database.psql("SELECT count(*) FROM m") == "960")
        try app.execute("COMMIT")
        #expect(try database.outcome(rule).deleted == 239)
    }
}
