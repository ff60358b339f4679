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

    @Test("fails the rule of a service, which says why, and lets the app write")
    func service() throws {
        let service = try Service(on: state, arguments: ["--config", file])
        try eventually("the failure") { try status()?.state == "failed" }
        #expect(try status()?.reason?.contains("each row runs trigger tr") == true)
        try expectReleased()
        #expect(service.process.isRunning)
        let ended = try service.stop()
        #expect(ended.status == 0 && ended.errors.contains("each row runs trigger tr"), "\(ended)")
    }

    @Test("leaves other stores alone: they are pruned in the same run", arguments: [true, false])
    func others(serves: Bool) throws {
        let other = Database(path: state.path + "/other.sqlite")
        try other.query(
            """
            CREATE TABLE item (id INTEGER PRIMARY KEY, at INTEGER);
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
            INSERT INTO item SELECT i, unixepoch() - 40 * 86400 FROM n;
            """)
        let both = try state.configuration(
            String(contentsOfFile: file, encoding: .utf8)
                + """

                store.other = { path = "other.sqlite" }
                rule.sound = { store = "other", table = "item", age_column = "at", keep = "30d", guard.max_share = 1.0 }
                """, name: "both.toml")
        if serves {
            let service = try Service(on: state, arguments: ["--config", both])
            try eventually("the failure") { try status()?.state == "failed" }
            #expect(service.process.isRunning)
            #expect(try service.stop().status == 0)
        } else {
            let report = try state.pruned("--run-now", "--json", "--config", both).run(seconds: 30).report()
            #expect(report["sound"]?.outcome == "done" && report["sound"]?.deleted == 2_000, "\(report)")
            #expect(report["stuck"]?.outcome == "failed", "\(report)")
        }
        #expect(try other.query("SELECT count(*) FROM item") == "0")
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
