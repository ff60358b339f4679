import TestSupport
import Foundation
import Testing

/// `pruned plan`: what a run would do, seen before it does it.
@Suite struct PlanTests {
    /// The keys of each rule.
    private func keys(_ ended: EndedProgram) throws -> [Set<String>] {
        try #require(ended.members()["rules"] as? [[String: Any]], "\(ended)").map { Set($0.keys) }
    }

    @Test("the figures are those of the run that follows, and nothing is touched meanwhile")
    func figures() throws {
        let state = try StateDirectory.sampled()
        let before = FileTree(state.path)
        let ended = try state.pruned("plan", "--json").run()
        #expect(ended.status == 0, "\(ended)")
        #expect(FileTree(state.path) == before)
        let plan = try ended.report()
        #expect(plan.rules.count == 5)
        let total = try state.store.count("SELECT count(*) FROM item")
        let oldest = try state.store.query(
            "SELECT strftime('%Y-%m-%dT%H:%M:%SZ', min(timestamp), 'unixepoch') FROM item")
        let done = try state.runNow.run().report()
        for rule in done.rules {
            let planned = try #require(plan[rule.rule])
            #expect(planned.expired == rule.deleted)
            #expect(planned.dependentsExpired == rule.dependentsDeleted)
            #expect(planned.outcome == "done")
            let bars = try #require(planned.histogram)
            let past = bars.filter { $0.to.map { $0 <= planned.cutoff } ?? false }
            #expect(past.map(\.rows).reduce(0, +) == rule.deleted, "\(rule.rule)")
            // Users have no times.
            #expect(bars.map(\.rows).reduce(0, +) == (rule.rule == "users" ? 0 : planned.rows))
        }
        let items = try #require(plan["items"])
        #expect(items.rows == total)
        #expect(items.oldestExpired == oldest)
        #expect(try #require(items.newestExpired) < items.cutoff)
        #expect(try #require(items.nextExpiry) > items.cutoff)
    }

    @Test("a dry run's JSON has the same keys, and keeps those that it had")
    func keys() throws {
        let state = try StateDirectory.sampled()
        let plan = try keys(state.pruned("plan", "--json").run())
        let dryRun = try keys(state.pruned("--run-now", "--dry-run", "--json").run())
        let wanted = [
            "rule", "store", "table", "cutoff", "outcome", "expired", "deleted", "dependents_deleted",
            "kept_implausible", "came_back", "batches", "longest_batch_ms", "duration_ms", "access_path",
            "waits_for", "reason", "hint", "rows", "stays", "dependents_expired", "may_refuse",
            "oldest_expired",
            "newest_expired",
            "next_expiry", "histogram",
        ]
        #expect((plan + dryRun).allSatisfy { $0 == Set(wanted) } && plan.count == 5)
        #expect(try keys(state.runNow.run()).allSatisfy { !$0.contains("histogram") })
    }

    @Test("the rows of other tables that would go with a rule's are shown")
    func dependents() throws {
        let state = try StateDirectory.sampled()
        let rows = try state.store.count(
            "SELECT count(*) FROM article JOIN feed USING (tab_id) WHERE expires_at < unixepoch()")
        let ended = try state.pruned("plan").run().checked()
        #expect(rows > 0)
        #expect(ended.output.contains("also     \(rows) rows of article, deleted with them"), "\(ended)")
    }

    @Test("where there is nothing yet, it creates nothing, and there is nothing to delete")
    func missing() throws {
        let state = try StateDirectory()
        let ended = try state.pruned("plan").run()
        #expect(ended.status == 0, "\(ended)")
        #expect(ended.output.contains("would delete 0 rows"))
        #expect(ended.output.contains("the store does not exist yet"))
        #expect(FileTree(state.sandbox.path).names == [])
        let foreign = try state.configuration(
            "store.a.path = \"none.sqlite\"\n[rule.r]\ntable = \"t\"\nage_column = \"c\"\nkeep = \"1d\"\n")
        let without = try state.pruned("plan", "--config", foreign).run()
        #expect(without.status == 74, "\(without)")
        #expect(FileTree(state.sandbox.path).names == ["pruned.toml"])
    }

    @Test("a store that its app has open, with rows in its log, is read and left as it is")
    func openStore() throws {
        let state = try StateDirectory.sampled()
        let app = try WritingApp(on: state, refreshing: ["none"])
        try app.write(transactions: 3)
        try eventually("the app's log") {
            FileTree(state.path).names.suffix(2) == ["shared/reader.sqlite-shm", "shared/reader.sqlite-wal"]
        }
        let names = FileTree(state.path).names
        let ended = try state.pruned("plan", "--json").run()
        #expect(ended.status == 0, "\(ended)")
        #expect(FileTree(state.path).names == names)
        try app.close()
        #expect(try ended.report()["items"]?.rows ?? 0 >= 100)
    }

    @Test("a rule that would be held says so, with the reason and the command that resolves it")
    func held() throws {
        let state = try StateDirectory.holding(expired: 1_200, fresh: 100)
        let before = FileTree(state.path)
        let first = try state.pruned("plan").run()
        #expect(first.output.contains(/to delete these rows, once:\s+`pruned [^`]*confirm/), "\(first)")
        #expect(FileTree(state.path) == before)
        #expect(try state.runNow.run().status == 3)
        let held = FileTree(state.path)
        let text = try state.pruned("plan").run()
        #expect(text.status == 3, "\(text)")
        #expect(text.output.contains("read-records: would be held"))
        #expect(text.output.contains("would delete 1,200 of 1,300 rows of read_record (92 %, limit 50 %)"))
        let copied = text.output.replacing(#/ \\\n +/#, with: " ")
        #expect(copied.contains("--run-now --confirm read-records`"), "\(text)")
        #expect(text.output.contains("expired  1,200 of 1,300 rows (92 %)"))
        let planned = try state.pruned("plan", "--json").run().report()["read-records"]
        #expect(planned?.outcome == "held" && planned?.expired == 1_200)
        #expect(planned?.hint?.contains("--confirm read-records") == true)
        #expect(FileTree(state.path) == held)
    }

    @Test("a clock that is not believed holds all, and nothing is said of ages", .fakingTime)
    func clock() throws {
        let state = try StateDirectory.sampled(records: 200)
        let clock = try FakeClock(offset: "+10y", in: state.sandbox)
        let ended = try clock.applied(to: state.pruned("plan")).run()
        #expect(ended.status == 3, "\(ended)")
        #expect(ended.output.contains("--trust-clock"))
        #expect(!ended.output.contains("expired  "))
        #expect(FileTree(state.path).names == ["shared", "shared/reader.sqlite"])
    }

    @Test("rows past the cutoff that stay are told apart from those that go")
    func keepLast() throws {
        let state = try StateDirectory.holding(expired: 20, fresh: 0)
        let file = try state.readRecordsFile("keep_last = 5")
        let ended = try state.pruned("plan", "--config", file).run()
        #expect(ended.status == 0, "\(ended)")
        #expect(ended.output.contains("among the newest 5"))
    }

    @Test("only the rules that are named are shown, and an unknown one is a usage error")
    func selection() throws {
        let state = try StateDirectory.sampled(records: 100)
        let ended = try state.pruned("plan", "--rule", "items", "--json").run()
        #expect(try ended.report().rules.map(\.rule) == ["items"], "\(ended)")
        #expect(try state.pruned("plan", "--rule", "none").run().status == 64)
        for arguments in [["plan", "--dry-run"], ["plan", "--run-now"], ["check", "--json"], ["--json"]] {
            var program = state.pruned()
            program.arguments = arguments + program.arguments
            #expect(try program.run().status == 64, "\(arguments)")
        }
    }

    @Test("no line is longer than 80 columns, and a pipe gets neither escapes nor more than ASCII")
    func plain() throws {
        let state = try StateDirectory.sampled()
        var program = state.pruned("plan")
        program.environment["LC_ALL"] = "C.UTF-8"
        let output = try program.run().checked().output
        #expect(output.allSatisfy { $0.isASCII && $0 != "\u{1B}" })
        #expect(output.split(separator: "\n").allSatisfy { $0.count <= 80 })
        #expect(output.contains("---- cutoff "))
        #expect(output.contains("####"))
    }

    @Test("--color has the last word, piped or not, whatever NO_COLOR says")
    func colorOption() throws {
        let state = try StateDirectory.sampled()
        var piped = state.pruned("plan", "--color", "always")
        piped.environment = ["NO_COLOR": "1"]
        #expect(try piped.run().checked().output.contains("\u{1B}[31m"))
        let line = state.pruned("plan", "--color=never").line.joined(separator: " ")
        let terminal = Program(path: "script", arguments: ["-qec", line, "/dev/null"])
        #expect(try !terminal.run().checked().output.contains("\u{1B}"))
    }

    @Test(
        "a terminal gets colours unless NO_COLOR says otherwise, and blocks where its locale has them",
        arguments: [
            ([:], true, false), (["NO_COLOR": "1"], false, false), (["LC_ALL": "C.UTF-8"], true, true),
            (["LANG": "C.UTF-8", "LC_ALL": "C"], true, false), (["TERM": "dumb"], false, false),
        ] as [([String: String], Bool, Bool)])
    func terminal(environment: [String: String], isColoured: Bool, isUnicode: Bool) throws {
        let state = try StateDirectory.sampled()
        let line = state.pruned("plan").line.joined(separator: " ")
        var program = Program(path: "script", arguments: ["-qec", line, "/dev/null"])
        program.environment = environment
        let shown = try program.run().checked().output
        #expect(shown.contains("\u{1B}[31m") == isColoured)
        #expect(shown.contains("█") == isUnicode)
    }
}
