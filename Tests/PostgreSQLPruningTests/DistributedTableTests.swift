import Foundation
import Pruning
import Retention
import TestSupport
import Testing

@testable import PostgreSQLPruning

@Suite(
    "Tables of Citus", .serialized,
    .enabled(
        if: PostgreSQLPrograms.citus != nil,
        "needs CITUS_PG_BIN, the directory of the programs of a server that has Citus"))
struct DistributedTableTests {
    /// A coordinator and two workers.
    private static let servers = Result {
        try (0..<3).map { _ in
            var configuration = PostgreSQLConfiguration([
                "shared_preload_libraries": "'citus'", "wal_level": "logical",
            ])
            (configuration.build, configuration.loopback) = (.citus, true)
            return try PostgreSQLServer.start(configuration: configuration)
        }
    }

    private let database: OwnedDatabase
    private let workers: [PostgreSQLServer]

    init() throws {
        let servers = try Self.servers.get()
        workers = Array(servers.dropFirst())
        database = try OwnedDatabase("SELECT 1", setup: "CREATE EXTENSION citus", on: servers[0])
        let name = database.database.name
        for worker in workers {
            try worker.psql("CREATE DATABASE \(name)")
            try worker.psql("CREATE EXTENSION citus", database: name)
        }
        try database.database.psql("SELECT citus_set_coordinator_host('127.0.0.1', \(servers[0].port))")
        for worker in workers {
            try database.database.psql("SELECT citus_add_node('127.0.0.1', \(worker.port))")
        }
        try database.psql(
            """
            SET citus.shard_count = 8;
            CREATE TABLE t (id int, tenant int, at timestamptz NOT NULL, v int, PRIMARY KEY (tenant, id));
            CREATE INDEX ON t (at); SELECT create_distributed_table('t', 'tenant');
            INSERT INTO t SELECT n, n % 50, timestamptz '2026-11-20 12:00Z' - n * interval '1 minute', n
            FROM generate_series(0, 59999) n;
            CREATE TABLE r (id int PRIMARY KEY, at timestamptz NOT NULL); CREATE INDEX ON r (at);
            SELECT create_reference_table('r');
            INSERT INTO r SELECT n, timestamptz '2026-11-20 12:00Z' - n * interval '1 day' FROM generate_series(0, 99) n
            """)
    }

    private func rule(
        _ table: String = "t", _ change: (inout RetentionRule) -> Void = { _ in }
    ) -> RetentionRule {
        var rule = RetentionRule(
            name: "old", store: "s", table: table, expiry: .age(column: "at", keep: Span(30, .day)),
            holdLimits: .noneAtAll)
        change(&rule)
        return rule
    }

    private func run(
        _ rule: RetentionRule, as user: String? = nil, dryRun: Bool = false, memory: GuardMemory = .none
    ) throws -> RuleReport {
        let url = database.database.url(user: user ?? database.owner)
        let definition = StoreDefinition(name: "s", kind: .postgresql(try ConnectionString(url)))
        let store = PostgreSQLStore(
            definition, url: url, holder: "a test", rules: [rule], monotonic: systemMonotonic)
        return PruneRun.report([rule], on: [store], dryRun: dryRun, memory: memory).rules[0]
    }

    private func rows(_ place: String = "true") throws -> Int? {
        Int(try database.psql("SELECT count(*) FROM t WHERE \(place)"))
    }

    @Test("their rows go by slices of time, as many as the plan says, and no other")
    func slices() throws {
        let rule = rule { $0.condition = "tenant <> 7 AND v <> 50000" }
        let stay = "NOT (tenant <> 7 AND v <> 50000 AND at < '2026-10-21 12:00Z')"
        let (staying, expired) = (try rows(stay), try run(rule, dryRun: true).expired)
        let report = try run(rule)
        #expect(report.outcome == .done && report.batches > 3, "\(report)")
        #expect(report.deleted == expired && report.deleted == 16_462, "\(report)")
        #expect(try rows() == staying && rows(stay) == staying)
        #expect(try run(rule).deleted == 0)
        #expect(try run(self.rule("r")).deleted == 69)
        #expect(try database.psql("SELECT count(*) FROM r") == "31")
    }

    @Test("guards judge them as they judge others, and a confirmation counts what goes")
    func guards() throws {
        let guarded = rule { $0.holdLimits = HoldLimits(maxShare: 0.5, minRows: 1_000) }
        #expect(try run(guarded).outcome == .done)
        try database.psql(
            """
            CREATE TABLE a (tenant int, at timestamptz NOT NULL, tags int[]); CREATE INDEX ON a (at);
            SELECT create_distributed_table('a', 'tenant');
            INSERT INTO a SELECT n, '2026-01-01'::timestamptz + n * interval '1 s', ARRAY[n, 2] FROM generate_series(1, 2000) n
            """)
        let held = try run(rule("a") { $0.holdLimits = HoldLimits(maxShare: 0.5, minRows: 1_000) })
        #expect(held.outcome == .held, "\(held)")
        let store = try OwnedStore(database, rule("a"))
        #expect(try store.batchFingerprints() == store.censusFingerprint())
    }

    @Test("many rows of one time go in one slice")
    func oneTime() throws {
        try database.psql("UPDATE t SET at = '2026-10-01' WHERE at < '2026-10-10'")
        let expired = try run(rule(), dryRun: true).expired
        #expect(try run(rule()).deleted == expired)
    }

    @Test(
        "a row that others have locked makes the run wait no longer than a batch may, on other servers, too")
    func lock() throws {
        let app = try database.app()
        try app.execute("BEGIN; SELECT * FROM t WHERE tenant = 3 AND id = 59953 FOR UPDATE")
        let begin = systemMonotonic()
        let report = try run(rule())
        #expect(report.outcome == .skipped && report.failure?.kind == .fault(.busy), "\(report)")
        #expect(systemMonotonic() - begin < .seconds(10))
        try app.execute("COMMIT")
        #expect(try run(rule()).outcome == .done)
        #expect(try rows("at < '2026-10-21 12:00Z'") == 0)
    }

    @Test("who is not the owner is told to be; what needs more than one statement is refused by name")
    func refused() throws {
        let other = try run(rule(), as: database.role)
        #expect(other.failure?.cause.contains("whose shards its owner may have code") == true, "\(other)")
        #expect(other.failure?.hint?.hasPrefix("connect as its owner, user=\(database.owner);") == true)
        let last = try run(rule { $0.keepLast = 5 })
        #expect(last.failure?.cause.contains("keep_last needs more") == true, "\(last)")
        let read = try run(
            rule { $0.protect = ["EXISTS (SELECT 1 FROM r WHERE r.id = t.v)"] })
        #expect(read.failure?.cause.contains("subqueries need more") == true, "\(read)")
        #expect(try rows() == 60_000)
    }

    @Test("what cannot be had is refused before what it would need, so that no hint leads to another refusal")
    func refusedFirst() throws {
        let nobody = try Self.servers.get()[0].createRole()
        let other = try run(rule { $0.keepLast = 5 }, as: nobody)
        #expect(
            other.failure?.hint?.hasPrefix("connect as its owner, user=\(database.owner);") == true,
            "\(other)")
        try database.psql(
            """
            CREATE TABLE c (id int, tenant int, FOREIGN KEY (tenant, id) REFERENCES t (tenant, id) ON DELETE CASCADE);
            SELECT create_distributed_table('c', 'tenant', colocate_with => 't')
            """)
        for dependents: Set<String> in [[], ["c"]] {
            let report = try run(rule { $0.dependents = dependents })
            #expect(report.failure?.cause.contains("rows of c would go or change") == true, "\(report)")
            #expect(report.failure?.hint?.hasPrefix("drop the foreign key") == true, "\(report)")
        }
        try database.psql("DROP TABLE c")
        let kept = try run(rule { $0.keptBy = [ColumnReference(table: "r", column: "id")] })
        #expect(kept.failure?.hint == "remove kept_by from the rule", "\(kept)")
    }

    @Test("a worker that is away fails the run; what went is counted, and the next run goes on")
    func workerAway() throws {
        try workers[1].stop(.immediate)
        let report = try run(rule())
        #expect(report.outcome != .done && report.deleted == 0, "\(report)")
        #expect(report.failure?.hint?.contains("worker of Citus") == true, "\(report)")
        #expect(report.failure?.cause.contains("\n") == false, "\(report)")
        try workers[1].start()
        let next = try run(rule())
        #expect(next.outcome == .done && next.deleted > 0, "\(next)")
        #expect(try rows("at < '2026-10-21 12:00Z'") == 0)
    }
}

/// The deletion of a rule whose rows are told apart, as that of a confirmed one is.
private struct OwnedStore {
    private let worker: any WorkerContext
    private let expected: RowsFingerprint?

    init(_ database: OwnedDatabase, _ rule: RetentionRule) throws {
        let url = database.database.url(user: database.owner)
        let store = PostgreSQLStore(
            StoreDefinition(name: "s", kind: .postgresql(try ConnectionString(url))), url: url,
            holder: "a test",
            rules: [rule], monotonic: systemMonotonic)
        worker = try store.openWorker(RunControl(monotonic: systemMonotonic))
        expected = try worker.begin(
            PruneTask(rule, start: runStart, in: .gmt), accessPath: nil, tellsRows: true
        ).rows
    }

    func censusFingerprint() -> RowsFingerprint? { expected }

    /// Of all batches.
    func batchFingerprints() throws -> RowsFingerprint {
        var all = RowsFingerprint()
        while true {
            let batch = try worker.deleteBatch(rows: 2)
            if let rows = batch.fingerprint { all = all + rows }
            if batch.isLast { return all }
        }
    }
}
