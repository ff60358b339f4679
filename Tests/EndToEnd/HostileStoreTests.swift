import Foundation
import TestSupport
import Testing

/// A host with stores of several owners, one of whom wants pruning to end for all.
@Suite(.serialized) struct HostileStoreTests {
    private let state: StateDirectory
    private var healthy: Database { Database(path: state.path + "/healthy.sqlite") }
    private var hostile: Database { Database(path: state.path + "/hostile.sqlite") }

    private static let table = """
        CREATE TABLE item (id INTEGER PRIMARY KEY, at INTEGER);
        INSERT INTO item VALUES (1, unixepoch() - 40 * 86400), (2, unixepoch());
        """

    /// Stores that cannot be pruned, each made by its owner, and how they fail.
    static let attacks: [(sql: String, failure: String)] = [
        // Compiling a DELETE follows the triggers, each within the one before, until the stack ends.
        (
            """
            CREATE TRIGGER g0 AFTER DELETE ON item BEGIN SELECT 1; END;
            CREATE VIEW v1 AS SELECT 1 AS id;
            PRAGMA writable_schema = ON;
            UPDATE sqlite_schema SET sql =
                'CREATE TRIGGER g0 AFTER DELETE ON item BEGIN DELETE FROM v1; END' WHERE name = 'g0';
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
            INSERT INTO sqlite_schema SELECT 'view', 'v' || (i + 1), 'v' || (i + 1), 0,
                'CREATE VIEW v' || (i + 1) || ' AS SELECT 1 AS id' FROM n
            UNION ALL SELECT 'trigger', 'g' || i, 'v' || i, 0,
                'CREATE TRIGGER g' || i || ' INSTEAD OF DELETE ON v' || i || ' BEGIN DELETE FROM v'
                || (i + 1) || '; END' FROM n;
            """, "was killed by SIGSEGV"
        ),
        // A column that takes more memory than there is.
        (
            """
            ALTER TABLE item RENAME COLUMN at TO a;
            ALTER TABLE item ADD COLUMN at INTEGER AS (a + 0 * length(hex(zeroblob(490000000))));
            """, "out of memory"
        ),
    ]

    /// A column that takes years to read; see ``StuckReadTests``.
    private static let endless = """
        ALTER TABLE item RENAME COLUMN at TO a;
        ALTER TABLE item ADD COLUMN at INTEGER
        AS (a + 0 * instr(zeroblob(6000000 + id), CAST(zeroblob(3000000) || x'01' AS BLOB)));
        """

    private let file: String

    init() throws {
        state = try StateDirectory()
        try FileManager.default.createDirectory(atPath: state.path, withIntermediateDirectories: false)
        file = try state.configuration(
            """
            store.healthy.path = "healthy.sqlite"
            store.hostile.path = "hostile.sqlite"
            rule.sound = { store = "healthy", table = "item", age_column = "at", keep = "30d" }
            rule.bad = { store = "hostile", table = "item", age_column = "at", keep = "30d" }
            """)
        try healthy.query(Self.table)
        try hostile.query(Self.table)
    }

    @Test(
        "the healthy store is pruned in the same run, and the report names the other one and how it failed",
        arguments: attacks)
    func byHand(sql: String, failure: String) throws {
        try hostile.query(sql)
        let report = try state.pruned("--run-now", "--json", "--config", file).run(seconds: 60).report()
        #expect(report["sound"]?.outcome == "done" && report["sound"]?.deleted == 1, "\(report)")
        #expect(report["bad"]?.outcome == "failed", "\(report)")
        #expect(report["bad"]?.reason?.contains(failure) == true, "\(report)")
        #expect(try healthy.query("SELECT group_concat(id) FROM item") == "2")
    }

    @Test("so do a service, which is ready and goes on, and the status", arguments: attacks)
    func service(sql: String, failure: String) throws {
        try hostile.query(sql)
        let service = try Service(on: state, arguments: ["--config", file])
        try service.waitUntilReady()
        try eventually("the healthy store") { try healthy.query("SELECT count(*) FROM item") == "1" }
        var rules: [String: PrintedStatus.Rule] = [:]
        try eventually("the failure") {
            let report = try state.pruned("status", "--json", "--config", file).run().statusReport()
            rules = Dictionary(uniqueKeysWithValues: report.rules.map { ($0.rule, $0) })
            return rules["bad"]?.state == "failed"
        }
        #expect(rules["bad"]?.reason?.contains(failure) == true, "\(rules)")
        #expect(service.process.isRunning)
        let ended = try service.stop()
        #expect(ended.status == 0 && ended.errors.contains(failure), "\(ended)")
    }

    @Test("a stop in the midst of a reload waits for no store that is looked at")
    func stopWhileReloading() throws {
        try hostile.query(Self.endless)
        let all = try String(contentsOfFile: file, encoding: .utf8)
        let sound = all.split(separator: "\n").filter { $0.contains("healthy") }.joined(separator: "\n")
        let alone = try state.configuration(sound)
        let service = try Service(on: state, arguments: ["--config", alone])
        try service.waitUntilReady()
        try eventually("the healthy store") { try healthy.query("SELECT count(*) FROM item") == "1" }
        try eventually("the end of the run") { service.process.children.isEmpty }
        _ = try state.configuration(all)
        service.process.send(SIGHUP)
        try eventually("the look at the other store") { !service.process.children.isEmpty }
        let begin = ContinuousClock.now
        #expect(try service.stop().status == 0)
        #expect(ContinuousClock.now - begin < .seconds(3))
    }

    @Test("a store that takes long to say how new its rows are keeps no other waiting")
    func slowWitness() throws {
        try hostile.query(
            """
            WITH n(i) AS (SELECT 3 UNION ALL SELECT i + 1 FROM n LIMIT 30000)
                INSERT INTO item SELECT i, unixepoch() FROM n;
            ALTER TABLE item RENAME COLUMN at TO a;
            ALTER TABLE item ADD COLUMN at INTEGER
                AS (a + 0 * instr(zeroblob(300000 + id), CAST(zeroblob(3000) || x'01' AS BLOB)));
            """)
        let service = try Service(on: state, arguments: ["--config", file])
        try service.waitUntilReady()
        try eventually("the healthy store") { try healthy.query("SELECT count(*) FROM item") == "1" }
        #expect(try service.stop().status == 0)
    }

    @Test("with metrics, too, a store ends no service", arguments: attacks.suffix(1))
    func metrics(sql: String, failure: String) throws {
        try hostile.query(sql)
        let metrics = state.sandbox.path + "/metrics.prom"
        let measured = try state.configuration(
            "metrics_file = \"\(metrics)\"\n" + String(contentsOfFile: file, encoding: .utf8),
            name: "measured.toml")
        let service = try Service(on: state, arguments: ["--config", measured])
        try service.waitUntilReady()
        try eventually("the metrics of the failed run") {
            let text = try? String(contentsOfFile: metrics, encoding: .utf8)
            return text?.contains("pruned_rule_runs_total{rule=\"bad\",outcome=\"failed\"} 1") == true
        }
        #expect(service.process.isRunning)
        #expect(try service.stop().status == 0)
    }

    @Test("check and plan say it of this store alone", arguments: ["check", "plan"])
    func looks(command: String) throws {
        try hostile.query(Self.attacks[0].sql)
        let ended = try state.pruned(command, "--config", file).run(seconds: 60)
        let said = (ended.output + ended.errors).split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(ended.status == 1 && said.contains("killed by SIGSEGV"), "\(ended)")
        #expect(said.contains("rule sound ok") || said.contains("sound: would delete 1 row"), "\(ended)")
    }

    @Test(
        "a command about this store ends with words and a status of its own",
        arguments: [["explain", "bad", "1"], ["check", "--schema", "hostile"], ["suggest"]],
        attacks)
    func about(arguments: [String], attack: (sql: String, failure: String)) throws {
        try hostile.query(attack.sql)
        var command = state.pruned("--config", file)
        command.arguments =
            arguments + (arguments == ["suggest"] ? [hostile.path] : []) + command.arguments
        let ended = try command.run(seconds: 60)
        #expect([0, 1, 65, 74].contains(ended.status), "\(ended)")
        #expect(!ended.output.isEmpty || ended.errors.contains("pruned: "), "\(ended)")
    }

    @Test("a run that is killed leaves no worker behind")
    func killed() throws {
        try hostile.query(Self.endless)
        var program = state.pruned("--run-now", "--trust-clock", "--config", file)
        program.environment["TEST_OF"] = state.path
        let run = try program.start()
        func workers() -> [String] {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
            return names.filter { Int($0) != nil }.filter { id in
                let line = (try? String(contentsOfFile: "/proc/\(id)/cmdline", encoding: .utf8)) ?? ""
                let environment = (try? String(contentsOfFile: "/proc/\(id)/environ", encoding: .utf8)) ?? ""
                return line.hasPrefix("pruned\0worker\0hostile")
                    && environment.contains("TEST_OF=\(state.path)")
            }
        }
        try eventually("a worker") { !workers().isEmpty }
        run.send(SIGKILL)
        let sent = ContinuousClock.now
        try eventually("its end") { workers().isEmpty }
        #expect(ContinuousClock.now - sent < .seconds(5))
    }
}
