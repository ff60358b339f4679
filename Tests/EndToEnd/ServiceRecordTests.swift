import TestSupport
import Foundation
import Testing

/// What the service says of itself over a restart, and to `pruned status`.
@Suite(.serialized) struct ServiceRecordTests {
    private let state: StateDirectory
    private static let refuse =
        "CREATE TRIGGER t BEFORE DELETE ON read_record BEGIN SELECT raise(ABORT, 'no'); END"

    init() throws {
        state = try StateDirectory.holding(expired: 1, fresh: 1)
    }

    private func status(_ arguments: String...) throws -> EndedProgram {
        var program = state.pruned("status", "--json")
        program.arguments += arguments
        return try program.run()
    }

    /// Runs all rules though none is due.
    private func runAll(_ service: Service) throws {
        service.process.send(SIGUSR1)
        try service.hear { $0.contains("STATUS=Running") }
        try service.hear { $0.hasPrefix("STATUS=Idle") }
    }

    @Test(
        "what failed is told by the next start before its first run, tried again though not due, and then forgotten"
    )
    func restart() throws {
        try state.pruned("--run-now").run().checked()
        try state.addRecords(1, days: 400)
        try state.store.query(Self.refuse)
        let first = try Service(on: state)
        try first.waitUntilReady()
        try runAll(first)
        let failing = try #require(first.heard.last)
        #expect(failing.contains("; read-records failed: "), "\(failing)")
        let told = try status()
        #expect(told.status == 1, "\(told)")
        let rule = try #require(told.statusReport()["read-records"])
        #expect(rule.state == "failed" && rule.waitsFor == "retry" && rule.nextRunAt == nil, "\(rule)")
        try first.stop()
        #expect(try status().statusReport()["read-records"]?.nextRunAt != nil, "nobody tries it again")

        let second = try Service(on: state)
        #expect(try second.waitUntilReady().contains("; read-records failed: "))
        try second.hear { $0.hasPrefix("STATUS=Idle") && $0.contains("; read-records failed: ") }
        try second.stop()

        try state.store.query("DROP TRIGGER t")
        let third = try Service(on: state)
        try third.hear { $0.hasPrefix("STATUS=Idle") && !$0.contains("failed") }
        #expect(try state.records == 1)
        try third.stop()
        #expect(try status().status == 0)
        let fourth = try Service(on: state)
        #expect(try !fourth.waitUntilReady().contains("failed"))
        try fourth.stop()
    }

    @Test("a store that broke while no rule was due is in the status of the next start")
    func brokenStore() throws {
        let other = state.sandbox.path + "/other.sqlite"
        try Database(path: other, prefix: []).query("CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER)")
        let file = try state.configuration(
            """
            store.reader.path = "shared/reader.sqlite"
            store.other.path = "\(other)"
            rule.records = { store = "reader", table = "read_record", age_column = "created_at", keep = "30d" }
            rule.mine = { store = "other", table = "t", age_column = "at", keep = "30d" }
            """)
        let first = try Service(on: state, arguments: ["--config", file])
        try first.waitForFirstRun()
        try first.stop()
        try Data(String(repeating: "no database", count: 1_000).utf8).write(to: URL(filePath: other))
        let second = try Service(on: state, arguments: ["--config", file])
        try second.hear { $0.hasPrefix("STATUS=Idle") && $0.contains("; mine failed: ") }
        #expect(try status("--config", file).status == 65)
        try second.stop()
    }

    @Test("where a reload was refused the status shows what is in force, says so, and ends with 78")
    func refused() throws {
        let file = try state.configuration(ServiceTests.policy(column: "timestamp", keep: "30d"))
        let service = try Service(on: state, arguments: ["--config", file])
        try service.waitForFirstRun()
        #expect(try status("--config", file).checked().statusReport().inForceSince == nil)

        // It can be read, but has two names for one store.
        _ = try state.configuration(
            "store.twin.path = \"./shared/reader.sqlite\"\n"
                + ServiceTests.policy(column: "timestamp", keep: "1d").replacing(
                    "rule.only = {", with: "rule.other = { store = \"reader\","))
        service.process.send(SIGHUP)
        try service.hear { $0.contains("READY=1") && $0.contains("configuration refused: ") }
        let ended = try status("--config", file)
        #expect(ended.status == 78, "\(ended)")
        let report = try ended.statusReport()
        #expect(report.rules.map(\.rule) == ["only"] && report.rules.first?.state == "done")
        #expect(report.rules.first?.nextRunAt != nil && report.inForceSince != nil)
        #expect(report.configurationReason?.contains("the file of store") == true)
        let shown = try state.pruned("status", "--config", file).run()
        #expect(
            shown.output.contains("\nrefused  ")
                && shown.output.contains("\nin force the configuration that the service read at "))

        // It cannot be read at all, and nobody has told the service to.
        _ = try state.configuration("nonsense")
        let unread = try status("--config", file)
        #expect(unread.status == 78 && unread.errors.contains("line 1"), "\(unread)")
        #expect(try unread.statusReport().rules.map(\.rule) == ["only"])
        #expect(try unread.statusReport().stores.first?.exists == true)

        // Mended, and not read yet.
        _ = try state.configuration(ServiceTests.policy(column: "timestamp", keep: "40d"))
        service.process.send(SIGHUP)
        try service.hear { $0.contains("READY=1") && !$0.contains("refused") }
        #expect(try status("--config", file).checked().statusReport().inForceSince == nil)
        _ = try state.configuration(ServiceTests.policy(column: "timestamp", keep: "50d"))
        let changed = try state.pruned("status", "--config", file).run().checked()
        let words = changed.output.split { $0.isWhitespace }.joined(separator: " ")
        #expect(words.contains("the files have changed since"), "\(changed)")
        try service.stop()
        #expect(
            try status("--config", file).checked().statusReport().inForceSince == nil, "nobody goes by it")
    }

    @Test("a time zone of the caller's own makes the configuration no other")
    func timeZone() throws {
        let file = try state.configuration(ServiceTests.policy(column: "timestamp", keep: "30d"))
        let service = try Service(
            on: state, arguments: ["--config", file], environment: ["TZ": "Asia/Tokyo"])
        try service.waitForFirstRun()
        for zone in ["America/New_York", "Asia/Tokyo"] {
            var program = state.pruned("status", "--json", "--config", file)
            program.environment = ["TZ": zone]
            #expect(try program.run().checked().statusReport().inForceSince == nil, "\(zone)")
        }
        try service.stop()
    }
}
