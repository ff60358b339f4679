import Foundation
import Testing

/// A generated column of the app's, computed when it is read, by an SQL function that does not end.
@Suite(.serialized) struct StuckReadTests {
    private let state: StateDirectory
    private let file: String
    private var app: Database { Database(path: state.path + "/app.sqlite") }
    private var other: Database { Database(path: state.path + "/other.sqlite") }

    init() throws {
        state = try StateDirectory()
        try FileManager.default.createDirectory(atPath: state.path, withIntermediateDirectories: false)
        file = try state.configuration(
            """
            store.app.path = "app.sqlite"
            store.other.path = "other.sqlite"
            rule.stuck = { store = "app", table = "item", age_column = "g", keep = "30d" }
            rule.sound = { store = "other", table = "item", age_column = "at", keep = "30d" }
            """)
        let rows = """
            CREATE TABLE item (id INTEGER PRIMARY KEY, at INTEGER);
            INSERT INTO item VALUES (1, unixepoch() - 40 * 86400), (2, unixepoch());
            """
        try app.query(rows)
        try app.query(
            """
            ALTER TABLE item ADD COLUMN g INTEGER
            AS (at + 0 * instr(zeroblob(6000000 + id), CAST(zeroblob(3000000) || x'01' AS BLOB)))
            """)
        try other.query(rows)
    }

    private func expectReason(_ text: String) {
        #expect(text.contains("one call of an SQL function, such as that of a generated column"), "\(text)")
        #expect(text.contains(app.path) || text.contains("stuck: would fail"), "\(text)")
    }

    @Test("fails a command, which names the store", arguments: [["plan"], ["explain", "stuck", "1"]])
    func command(arguments: [String]) throws {
        var command = state.pruned("--config", file)
        command.arguments = arguments + command.arguments
        let ended = try command.run(seconds: 200)
        #expect(ended.status == 1, "\(ended)")
        expectReason(
            (ended.errors + ended.output).split(whereSeparator: \.isWhitespace).joined(separator: " "))
        #expect(try app.query("SELECT group_concat(id) FROM item") == "1,2")
    }

    @Test("fails its rule in a run and in the status, and other stores are pruned in the same run")
    func status() throws {
        let ended = try state.pruned("--run-now", "--config", file).run(seconds: 200)
        #expect(ended.status == 1, "\(ended)")
        expectReason(
            (ended.errors + ended.output).split(whereSeparator: \.isWhitespace).joined(separator: " "))
        let rules = try state.pruned("status", "--json", "--config", file).run(seconds: 20).statusReport()
        #expect(rules["stuck"]?.state == "failed" && rules["sound"]?.state == "done", "\(rules)")
        #expect(try other.query("SELECT group_concat(id) FROM item") == "2")
        #expect(try app.query("SELECT group_concat(id) FROM item") == "1,2")
    }

    @Test("does not keep a run by hand that is told to stop")
    func stop() throws {
        // Else all rows are asked for the time first, and the other rule waits for that.
        let run = try state.pruned("--run-now", "--trust-clock", "--config", file).start()
        try eventually("the other rule") { try other.query("SELECT group_concat(id) FROM item") == "2" }
        let sent = ContinuousClock.now
        run.send(SIGTERM)
        let ended = try run.wait(seconds: 30)
        #expect(ended.output.contains("sound"), "\(ended)")
        #expect(ContinuousClock.now - sent < .seconds(8))
        #expect(ended.status == 1, "\(ended)")
        expectReason(ended.errors)
    }

    @Test("fails the rule of a service, which keeps to its other rules")
    func service() throws {
        let service = try Service(on: state, arguments: ["--config", file])
        try eventually("the other rule") {
            try other.query("SELECT count(*) FROM item") == "1"
        }
        try eventually("the failure", seconds: 300) {
            try state.pruned("status", "--json", "--config", file).run().statusReport()["stuck"]?.state
                == "failed"
        }
        #expect(service.process.isRunning)
        let ended = try service.stop()
        #expect(ended.status == 0)
        expectReason(ended.errors)
    }
}
