import TestSupport
import Foundation
import Testing

/// A trigger of the app's that calls an SQL function which does not end: SQLite asks nobody while it is at work.
@Suite(.serialized) struct StuckLockTests {
    private let state: StateDirectory
    private let file: String
    private var app: Database { Database(path: state.path + "/app.sqlite") }

    init() throws {
        state = try StateDirectory()
        try FileManager.default.createDirectory(atPath: state.path, withIntermediateDirectories: false)
        file = try state.configuration(
            """
            store.app.path = "app.sqlite"
            rule.stuck = { store = "app", table = "item", age_column = "at", keep = "30d" }
            """)
        try app.query(
            """
            CREATE TABLE item (id INTEGER PRIMARY KEY, at INTEGER);
            INSERT INTO item VALUES (1, unixepoch() - 40 * 86400), (2, unixepoch());
            CREATE TRIGGER tr AFTER DELETE ON item BEGIN
                SELECT instr(zeroblob(6000000 + OLD.id), CAST(zeroblob(3000000) || x'01' AS BLOB));
            END;
            """)
    }

    private func status() throws -> PrintedStatus.Rule? {
        try state.pruned("status", "--json", "--config", file).run().statusReport()["stuck"]
    }

    private func expectReleased() throws {
        try app.query("INSERT INTO item VALUES (3, unixepoch())")
        #expect(try app.query("SELECT group_concat(id) FROM item") == "1,2,3")
        #expect(try app.health() == "ok")
    }

    @Test("ends a run by hand, which names it, and lets the app write")
    func byHand() throws {
        let ended = try state.pruned("--run-now", "--config", file).run(seconds: 30)
        #expect(ended.status == 1, "\(ended)")
        #expect(ended.errors.contains("stuck: failed: cannot delete a row of item in \(app.path): "))
        #expect(ended.errors.contains("each row runs trigger tr"), "\(ended)")
        try expectReleased()
        #expect(try status()?.state == "failed")
    }

    @Test("ends the service, whose next start lets the rule rest, and says that it failed, and why")
    func service() throws {
        let first = try Service(on: state, arguments: ["--config", file])
        let ended = try first.process.wait(seconds: 30)
        #expect(ended.status == 1, "\(ended)")
        #expect(ended.errors.contains("each row runs trigger tr"), "\(ended)")
        try expectReleased()

        let second = try Service(on: state, arguments: ["--config", file])
        #expect(try second.waitUntilReady().contains("; stuck failed: "))
        let rule = try #require(try status())
        #expect(rule.state == "failed" && rule.reason?.hasSuffix("runs trigger tr") == true, "\(rule)")
        sleep(1)
        #expect(second.process.isRunning && !second.heard.contains { $0.contains("STATUS=Running") })
        #expect(try second.stop().status == 0)
    }

    @Test(
        "ends what the service does on other stores, too, and what that did is told",
        arguments: [true, false])
    func others(serves: Bool) throws {
        let other = Database(path: state.path + "/other.sqlite")
        try other.query(
            """
            PRAGMA journal_mode = WAL;
            CREATE TABLE item (id INTEGER PRIMARY KEY, at INTEGER);
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200000)
            INSERT INTO item SELECT i, unixepoch() - 40 * 86400 FROM n;
            """)
        let both = try state.configuration(
            String(contentsOfFile: file, encoding: .utf8)
                + """

                store.other = { path = "other.sqlite", quiet = true }
                rule.slow = { store = "other", table = "item", age_column = "at", keep = "30d", guard.max_share = 1.0 }
                """, name: "both.toml")
        let ended =
            try serves
            ? Service(on: state, arguments: ["--config", both]).process.wait(seconds: 30)
            : state.pruned("--run-now", "--json", "--config", both).run(seconds: 30)
        #expect(ended.status == 1, "\(ended)")
        let gone = try 200_000 - (Int(other.query("SELECT count(*) FROM item")) ?? 0)
        #expect(gone > 0 && gone < 200_000)
        let history = try state.pruned("history", "--json").run().checked().output
        let deleted = history.matches(of: /"deleted":([0-9]+)/).compactMap { Int($0.output.1) }
        #expect(deleted.reduce(0, +) == gone, "\(history)")
        guard !serves else { return }
        let report = try ended.report()
        #expect(report["slow"]?.outcome == "stopped" && report["slow"]?.deleted == gone, "\(ended)")
        #expect(report["stuck"]?.outcome == "failed", "\(ended)")
    }

    @Test("does not keep a service that is told to stop")
    func stop() throws {
        // By itself it would end after five seconds.
        let slow = try state.configuration(
            String(contentsOfFile: file, encoding: .utf8) + "\nbatch.lock_time = \"50ms\"", name: "slow.toml")
        let service = try Service(on: state, arguments: ["--config", slow])
        let writing = Program(path: "sqlite3", arguments: [app.path, "BEGIN IMMEDIATE"])
        try eventually("the lock") { try writing.run().status != 0 }
        let sent = ContinuousClock.now
        let ended = try service.stop()
        #expect(ContinuousClock.now - sent < .seconds(4))
        #expect(ended.errors.contains("each row runs trigger tr"), "\(ended)")
        try expectReleased()
        #expect(try status()?.state == "failed")
    }
}
