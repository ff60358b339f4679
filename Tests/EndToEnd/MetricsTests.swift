import TestSupport
import Foundation
import Testing

/// The metrics file as Prometheus and its node_exporter find it.
@Suite struct MetricsTests {
    private let state: StateDirectory
    private let path: String

    init() throws {
        state = try StateDirectory.sampled(records: 1_000)
        path = try state.sandbox.makeDirectory("collector") + "/pruned.prom"
    }

    /// The items of a store, which `keep` makes expire, and where the metrics go.
    private func configuration(
        keep: String = "183d", guards: String = "max_share = 1", file: String? = nil,
        name: String = "pruned.toml"
    ) throws -> String {
        try state.configuration(
            """
            metrics_file = "\(file ?? path)"
            [guard]
            \(guards)
            [store.reader]
            path = "shared/reader.sqlite"
            [rule.items]
            table = "item"
            age_column = "timestamp"
            keep = "\(keep)"
            every = "1s"
            """, name: name)
    }

    private func run(_ configuration: String, _ options: String...) throws -> EndedProgram {
        var program = state.pruned("--run-now", "--json", "--config", configuration)
        program.arguments += options
        return try program.run()
    }

    @Test("a run by hand writes the file; the next adds to its counters; a dry run leaves it alone")
    func byHand() throws {
        let first = try run(configuration()).checked().report()
        let deleted = try #require(first["items"]?.deleted)
        #expect(deleted > 0)
        var metrics = try MetricsReading(path)
        #expect(metrics["pruned_rows_deleted_total{rule=\"items\"}"] == Double(deleted))
        #expect(metrics["pruned_rule_duration_seconds_count{rule=\"items\"}"] == 1)
        #expect(
            metrics["pruned_batch_lock_seconds_count{store=\"reader\"}"]
                == Double(first["items"]?.batches ?? 0))
        #expect(metrics["pruned_backlog_seconds{rule=\"items\"}"] == 0)
        #expect(metrics["pruned_clock_trusted"] == 1)
        let size = try FileManager.default.attributesOfItem(atPath: state.storePath)[.size] as? Int ?? 0
        #expect(metrics["pruned_store_bytes{store=\"reader\"}"] == Double(size))
        #expect(metrics["pruned_store_free_bytes{store=\"reader\"}"] != nil)
        let success = try #require(metrics["pruned_last_success_timestamp_seconds{rule=\"items\"}"])
        #expect(abs(Date().timeIntervalSince1970 - success) < 600)

        let shorter = try configuration(keep: "100d", name: "shorter.toml")
        let before = FileTree(state.sandbox.path)
        try run(shorter, "--dry-run").checked()
        #expect(FileTree(state.sandbox.path) == before)

        let second = try run(shorter).checked().report()
        metrics = try MetricsReading(path)
        let sum = deleted + (second["items"]?.deleted ?? 0)
        #expect(sum > deleted && metrics["pruned_rows_deleted_total{rule=\"items\"}"] == Double(sum))
    }

    @Test("the service writes it at its start, and counts on from where it was")
    func service() throws {
        let configuration = try configuration()
        let service = try Service(on: state, arguments: ["--config", configuration])
        try service.waitForFirstRun()
        let deleted = try MetricsReading(path)["pruned_rows_deleted_total{rule=\"items\"}"] ?? 0
        #expect(deleted > 0)
        try service.stop()
        unlink(path)
        let next = try Service(on: state, arguments: ["--config", configuration])
        try next.waitUntilReady()
        #expect(try MetricsReading(path)["pruned_rows_deleted_total{rule=\"items\"}"] == deleted)
        try next.stop()
    }

    @Test("whoever reads it, at any instant, finds it whole, and no counter goes back")
    func whole() throws {
        let service = try Service(on: state, arguments: ["--config", configuration()])
        try service.waitForFirstRun()
        let counter = "pruned_rule_duration_seconds_count{rule=\"items\"}"
        var (last, reads) = (0.0, 0)
        while last < 15 {
            if reads.isMultiple(of: 50) { service.process.send(SIGUSR1) }
            let metrics = try MetricsReading(path)
            let count = try #require(metrics[counter])
            #expect(metrics.isWhole && count >= last)
            (last, reads) = (count, reads + 1)
            try #require(reads < 1_000_000)
        }
        try service.stop()
    }

    @Test("a file that cannot be written stops no run, is said once, and stands in the status all the time")
    func unwritable() throws {
        let configuration = try configuration(file: "/nonexistent/pruned.prom")
        let service = try Service(on: state, arguments: ["--config", configuration])
        try service.waitForFirstRun()
        for _ in 0..<3 {
            service.process.send(SIGUSR1)
            try service.hear { $0.hasPrefix("STATUS=Running") }
            let status = try service.hear { $0.hasPrefix("STATUS=Idle") }
            #expect(status.contains("; metrics are not written: No such file or directory"), "\(status)")
        }
        let ended = try service.stop()
        #expect(ended.status == 0)
        let said = ended.errors.components(
            separatedBy: "cannot write the metrics in /nonexistent/pruned.prom")
        #expect(said.count == 2, "\(ended)")
        let byHand = try run(configuration)
        #expect(byHand.status == 0 && byHand.errors.contains("cannot write the metrics"), "\(byHand)")
        #expect(try byHand.report().outcome == "done")
    }

    @Test("check says whether the file can be written, and writes nothing")
    func check() throws {
        let good = try state.pruned("check", "--config", configuration()).run().checked()
        #expect(good.output.contains("metrics               ok: \(path)\n"), "\(good)")
        #expect(access(path, F_OK) != 0)
        try Data("another's".utf8).write(to: URL(filePath: path))
        for file in ["/nonexistent/pruned.prom", path] {
            let bad = try state.pruned("check", "--config", configuration(file: file)).run()
            #expect(
                bad.status == 74 && bad.output.contains("metrics               WRONG: \(file)\n"), "\(bad)")
            #expect(bad.errors.contains("cannot write the metrics in \(file): "), "\(bad)")
        }
    }

    @Test("a file that the configuration names no more is left there, and said at a reload and at each start")
    func abandoned() throws {
        let file = try configuration()
        let service = try Service(on: state, arguments: ["--config", file])
        try service.waitForFirstRun()
        let text = try String(contentsOfFile: file, encoding: .utf8)
        let elsewhere = (path as NSString).deletingLastPathComponent + "/other.prom"
        _ = try state.configuration(text.replacing(path, with: elsewhere))
        service.process.send(SIGHUP)
        try service.hear { $0.contains("READY=1") }
        let hint = "remove that file; Prometheus reads its last values until then"
        let moved =
            "<5>the metrics in \(path) are no longer updated: metrics_file is \(elsewhere) now; \(hint)\n"
        #expect(service.process.errors.contains(moved), "\(service.process.errors)")
        _ = try state.configuration(text.replacing(/metrics_file[^\n]*/, with: ""))
        service.process.send(SIGHUP)
        try service.hear { $0.contains("READY=1") }
        let gone = "the metrics in \(elsewhere) are no longer updated: no metrics_file is set"
        #expect(try service.stop().errors.contains("<5>\(gone); \(hint)\n"))

        let byHand = try run(file)
        #expect(byHand.errors == "pruned: \(gone)\n        \(hint)\n", "\(byHand)")
        unlink(elsewhere)
        #expect(try run(file).errors.isEmpty)
        #expect(access(path, F_OK) == 0)
    }

    @Test("two state directories do not take turns with one file: the second is told")
    func twoDirectories() throws {
        try run(configuration()).checked()
        let before = try String(contentsOfFile: path, encoding: .utf8)
        let other = try StateDirectory.sampled(records: 10, "other")
        var program = other.pruned("--run-now", "--config", try configuration())
        program.arguments += ["--json"]
        let ended = try program.run().checked()
        let line = "pruned: error: cannot write the metrics in \(path): it has the metrics of another state"
        #expect(
            ended.errors.hasPrefix("\(line) directory, \(state.path)\n        let metrics_file"), "\(ended)")
        #expect(try String(contentsOfFile: path, encoding: .utf8) == before)
        let check = try other.pruned("check", "--config", configuration()).run()
        #expect(check.status == 74 && check.errors.contains("another state directory"), "\(check)")
    }

    @Test("what a guard holds, and how long it has been overdue, is told until it is gone")
    func held() throws {
        let configuration = try configuration(keep: "1d", guards: "min_rows = 1")
        #expect(try run(configuration).status == 3)
        var metrics = try MetricsReading(path)
        #expect(metrics["pruned_rule_held{rule=\"items\"}"] == 1)
        #expect(metrics["pruned_rule_runs_total{rule=\"items\",outcome=\"held\"}"] == 1)
        let oldest = try state.store.count(
            "SELECT CAST(strftime('%s', 'now') AS INTEGER) - min(timestamp) FROM item")
        let backlog = try #require(metrics["pruned_backlog_seconds{rule=\"items\"}"])
        #expect(abs(Double(oldest) - 86_400 - backlog) < 7_300)

        try run(configuration, "--confirm", "items").checked()
        metrics = try MetricsReading(path)
        #expect(metrics["pruned_rule_held{rule=\"items\"}"] == 0)
        #expect(metrics["pruned_backlog_seconds{rule=\"items\"}"] == 0)
    }

    @Test("a service does not tell of a hold that was resolved by hand beside it")
    func resolvedByHand() throws {
        let configuration = try configuration(keep: "1d", guards: "min_rows = 1")
        let service = try Service(on: state, arguments: ["--config", configuration])
        try service.waitForFirstRun()
        #expect(try MetricsReading(path)["pruned_rule_held{rule=\"items\"}"] == 1)
        try run(configuration, "--confirm", "items").checked()
        #expect(try MetricsReading(path)["pruned_rule_held{rule=\"items\"}"] == 0)
        service.process.send(SIGHUP)  // after which it writes the file
        try service.hear { $0.contains("READY=1") }
        #expect(try MetricsReading(path)["pruned_rule_held{rule=\"items\"}"] == 0)
    }

    @Test("by a clock that cannot be believed nothing is overdue, and that is told")
    func doubtedClock() throws {
        let configuration = try configuration()
        try run(configuration).checked()
        let program = state.pruned("--run-now", "--config", configuration)
        let ended = try FakeClock(offset: "+20y", in: state.sandbox).applied(to: program).run()
        #expect(ended.status == 3, "\(ended)")
        let metrics = try MetricsReading(path)
        #expect(metrics["pruned_clock_trusted"] == 0)
        #expect(metrics["pruned_backlog_seconds{rule=\"items\"}"] == nil)
    }

    @Test(
        "promtool takes the file, whatever rules and stores are called",
        .enabled(if: MetricsReading.hasPromtool))
    func promtool() throws {
        let path = state.sandbox.path + "/an odd \\ \"path\" ä\u{1F4BE}.sqlite"
        let quoted = path.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        try Program(path: "cp", arguments: [state.storePath, path]).run().checked()
        let text =
            try String(contentsOfFile: configuration(), encoding: .utf8)
            + "\nstore = \"reader\"\n[store.\"1.x_y-z\"]\npath = \"\(quoted)\"\n"
            + "[rule.\"9.a-b_c\"]\nstore = \"1.x_y-z\"\n"
            + "table = \"item\"\nage_column = \"timestamp\"\nkeep = \"183d\"\n"
        try run(state.configuration(text)).checked()
        #expect(try MetricsReading(self.path).isWhole)
        let check = Program(
            path: "sh", arguments: ["-c", "exec promtool check metrics < '\(self.path)' 2>&1"])
        let ended = try check.run()
        #expect(ended.status == 0 && ended.output.isEmpty, "\(ended)")
    }
}
