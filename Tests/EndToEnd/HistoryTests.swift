import TestSupport
import Foundation
import Testing

/// What was done, held, confirmed and refused, as `pruned history` tells it.
@Suite(.serialized) struct HistoryTests {
    private func shown(_ state: StateDirectory, _ arguments: String...) throws -> EndedProgram {
        var program = state.pruned("history")
        program.arguments += arguments
        return try program.run()
    }

    private func entries(_ state: StateDirectory, _ arguments: String...) throws -> [PrintedEntry] {
        var program = state.pruned("history", "--json")
        program.arguments += arguments
        return try program.run().checked().output.split(separator: "\n").map { try PrintedEntry(json: $0) }
    }

    @Test("who takes a clock for right is on record, with what spoke against it", .fakingTime)
    func trusted() throws {
        let state = try StateDirectory.sampled(records: 100)
        let clock = try FakeClock(offset: "+0", in: state.sandbox)
        try clock.applied(to: state.runNow).run().checked()
        try clock.set("+3d")
        try clock.applied(to: state.pruned("--run-now", "--dry-run", "--trust-clock")).run().checked()
        try clock.applied(to: state.pruned("--run-now", "--trust-clock")).run().checked()
        #expect(try entries(state).map(\.kind) == ["run", "trusted", "run"])
        #expect(try shown(state).output.contains(/clock +trusted/))
        #expect(try shown(state).output.contains("the clock jumped ahead"))
    }

    @Test(
        "nobody could say what went: a run by hand is kept, with what its report says; a dry run is not")
    func byHand() throws {
        let state = try StateDirectory.sampled()
        let nothing = try shown(state)
        #expect(nothing.status == 0 && nothing.output == "no runs yet\n", "\(nothing)")
        try state.pruned("--run-now", "--dry-run").run().checked()
        #expect(FileTree(state.path).names == ["shared", "shared/reader.sqlite"])
        let report = try state.runNow.run().checked().report()
        let entries = try entries(state)
        #expect(entries.map(\.kind) == ["run"], "what it said at its beginning is not shown anymore")
        let entry = try #require(entries.first)
        #expect(entry.by == "hand" && entry.outcome == "done")
        #expect(entry.rules?.map(\.deleted) == report.rules.map(\.deleted))
        #expect(entry.runId?.contains(/^\d{8}T\d{6}Z-[0-9a-f]{4}$/) == true)
        let text = try shown(state)
        #expect(text.output.contains(/items +done +39\b/), "\(text)")
        #expect(text.output.split(separator: "\n").allSatisfy { $0.count <= 80 }, "\(text)")
        let tree = FileTree(state.path)
        #expect(tree.entries["ledger/state.sqlite"]?.permissions == 0o600)
        #expect(try shown(state).status == 0)
        #expect(FileTree(state.path) == tree, "it reads only")
    }

    @Test("rules, times and numbers select; what cannot select is a usage error")
    func selection() throws {
        let state = try StateDirectory.sampled()
        for _ in 0..<3 { try state.runNow.run().checked() }
        #expect(try entries(state).count == 3)
        #expect(try entries(state, "--limit", "2").count == 2)
        #expect(try entries(state, "--since", "1h").count == 3)
        #expect(try entries(state, "--since", "2000-01-01 12:00").count == 3)
        #expect(try entries(state, "--since", "2199-12-31").isEmpty)
        #expect(try entries(state, "--rule", "items").allSatisfy { $0.rules?.map(\.rule) == ["items"] })
        let two = try entries(state, "--rule", "items", "--rule", "timeline")
        #expect(two.allSatisfy { $0.rules?.map(\.rule) == ["items", "timeline"] } && two.count == 3)
        #expect(try entries(state, "--rule", "archive-leases").isEmpty, "a rule of the archive's")
        let nothing = try shown(state, "--since", "2199-12-31").checked()
        #expect(
            nothing.output.contains(/^no such entries since \d{4}-\d\d-\d\d \d\d:\d\d\n$/))
        for arguments in [
            ["--limit", "0"], ["--since", "yesterday"], ["--since", "2026-02-30"], ["--rule", "a b"],
            ["more"],
            ["--dry-run"], ["--run-now"],
        ] {
            var program = state.pruned("history")
            program.arguments += arguments
            let ended = try program.run()
            #expect(ended.status == 64, "\(ended)")
        }
    }

    @Test("a rule that nobody knows is a usage error, with the name that was meant; a removed one is known")
    func unknownRule() throws {
        let state = try StateDirectory.sampled(records: 100)
        let nearest = try shown(state, "--rule", "item")
        #expect(nearest.status == 64 && nearest.output.isEmpty, "\(nearest)")
        #expect(
            nearest.errors
                == "pruned: there is no rule \"item\" in the configuration or in the history\n"
                + "        did you mean \"items\"?\n")
        let far = try shown(state, "--rule", "items", "--rule", "quite-another", "--json")
        #expect(far.status == 64, "\(far)")
        #expect(far.errors.contains("\"quite-another\""), "\(far)")
        #expect(
            far.errors.contains("the rules are feed-cache, items, timeline, read-records, users\n"), "\(far)")

        #expect(try shown(state, "--rule", "only").status == 64)
        let file = try state.readRecordsFile()
        try state.pruned("--run-now", "--config", file).run().checked()
        #expect(try entries(state, "--rule", "only").count == 1, "the built-in policy has no such rule")
        let refused = try state.configuration("nonsense", name: "refused.toml")
        #expect(try entries(state, "--rule", "nobody-can-tell", "--config", refused).isEmpty)
    }

    @Test("where there is no state directory nothing ran yet; what cannot be looked at is an error")
    func noDirectory() throws {
        let state = try StateDirectory()
        let ended = try shown(state)
        #expect(ended.status == 0 && ended.output == "no runs yet\n", "\(ended)")
        #expect(ended.errors.hasPrefix("pruned: there is no state directory \(state.path)\n"), "\(ended)")
        #expect(try entries(state).isEmpty)
        try state.sandbox.write("state", "a file")
        #expect(try shown(state).status == 74)
    }

    @Test("a hold and its confirmation are kept, by hand")
    func heldByHand() throws {
        let state = try StateDirectory.holding(expired: 1_200, fresh: 100)
        let run = state.pruned("--run-now", "--rule", "read-records")
        #expect(try run.run().status == 3)
        var confirmed = run
        confirmed.arguments += ["--confirm", "read-records"]
        try confirmed.run().checked()
        let entries = try entries(state, "--rule", "read-records")
        #expect(entries.map(\.kind) == ["run", "confirmed", "run"])
        #expect(entries.map { $0.rules?.first?.outcome } == ["held", nil, "done"])
        #expect(entries[0].rules?.first?.reason?.contains("would delete 1,200 of 1,300 rows") == true)
        #expect(
            entries[1].expired == 1_200 && entries[1].rows == 1_300 && entries[1].runId == entries[2].runId)
        #expect(try shown(state).output.contains("1,200 rows of 1,300 may be deleted, with a cutoff on "))
    }

    @Test("the service keeps what it deleted, held and was told, and sums up what was nothing new")
    func service() throws {
        let state = try StateDirectory.holding(expired: 1_200, fresh: 100)
        try state.store.query("INSERT INTO item VALUES (1, 1000000000), (2, unixepoch())")
        let service = try Service(on: state)
        try service.waitForFirstRun()
        let first = try #require(try entries(state).last)
        #expect(first.kind == "run" && first.by == "service" && first.outcome == "held")
        #expect(first.rules?.first { $0.rule == "items" }?.deleted == 1)
        let kept = try entries(state).count
        for _ in 0..<3 {
            service.process.send(SIGUSR1)
            try service.hear { $0.contains("STATUS=Running") }
            try service.hear { $0.hasPrefix("STATUS=Idle") }
        }
        #expect(try entries(state).count == kept, "held again: nothing new")
        try state.pruned("confirm", "read-records").run().checked()
        try eventually("the run") { try state.records == 100 }
        #expect(try service.stop().status == 0)
        let later = try entries(state).suffix(3)
        #expect(later.map(\.kind) == ["confirmed", "quiet", "run"])
        #expect(later.map(\.by) == ["hand", "service", "service"])
        let quiet = try #require(later.dropFirst().first)
        #expect(quiet.repeats?.first { $0.rule == "read-records" }?.outcome == "held")
        #expect(quiet.repeats?.allSatisfy { $0.runs == 3 } == true)
        #expect(later.last?.rules?.first { $0.rule == "read-records" }?.deleted == 1_200)
    }

    @Test("a service that did nothing says so when it stops")
    func idleService() throws {
        let state = try StateDirectory()
        let service = try Service(on: state)
        try service.waitForFirstRun()
        #expect(try entries(state).isEmpty)
        #expect(try service.stop().status == 0)
        #expect(try entries(state).map(\.kind) == ["quiet"])
        #expect(try shown(state).output.contains(/5 rules: nothing to delete +done +0 +service\n/))
    }

    @Test("a refused configuration is kept: by hand, at the start of the service, and at a reload")
    func refused() throws {
        let state = try StateDirectory.sampled(records: 100)
        let good = ServiceTests.policy(column: "timestamp", keep: "100y")
        let file = try state.configuration("nonsense")
        #expect(try state.pruned("--run-now", "--dry-run", "--config", file).run().status == 78)
        #expect(FileTree(state.path).names == ["shared", "shared/reader.sqlite"])
        #expect(try state.pruned("--run-now", "--config", file).run().status == 78)
        #expect(try state.pruned("--config", file).run().status == 78)
        _ = try state.configuration(good)
        let service = try Service(on: state, arguments: ["--config", file])
        try service.waitForFirstRun()
        _ = try state.configuration("nonsense\u{1B}[31m")
        service.process.send(SIGHUP)
        try service.hear { $0.contains("configuration refused") }
        let entries = try entries(state, "--config", file)
        #expect(entries.map(\.kind) == ["refused", "refused", "refused"])
        #expect(entries.map(\.by) == ["hand", "service", "service"])
        #expect(entries.allSatisfy { $0.reason?.isEmpty == false })
        let text = try shown(state, "--config", file)
        #expect(text.output.contains("refused") && !text.output.contains("\u{1B}"), "\(text)")
        #expect(try service.stop().status == 0)
    }

    @Test("a run that was killed has left word of what it began, and the history is whole", arguments: 1...3)
    func killed(round: Int) throws {
        let state = try LargeStore.copy()
        let killed = try state.pruned("--run-now", "--verbose").start()
        try eventually("a batch") { killed.errors.contains("batch of") }
        killed.send(SIGKILL)
        #expect(try killed.wait().status == 128 + SIGKILL)
        let begun = try #require(try entries(state).last)
        #expect(begun.kind == "begun" && (begun.expired ?? 0) > 0 && begun.runId != nil)
        #expect(try shown(state).output.contains(/begun +\?/))
        try state.runNow.run().checked()
        #expect(try entries(state).last?.kind == "run")
        #expect(try entries(state).contains { $0.runId == begun.runId })
    }

    @Test("killed at whatever write to the history, an entry is whole or missing", .tracing)
    func killedWriting() throws {
        let template = try StateDirectory.sampled(records: 100)
        var killed = 0
        for number in 1...6 {
            var state = try template.copied()
            let before = state
            state.prefix = Fault.prefix("write:signal=KILL:when=\(number)")
            killed += try state.runNow.run().status == 128 + SIGKILL ? 1 : 0
            _ = try entries(before)
            let next = try before.runNow.run()
            #expect(next.status == 0, "\(next)")
            #expect(try entries(before).last?.kind == "run")
        }
        #expect(killed > 2)
    }

    @Test("processes that write at the same time lose nothing of each other")
    func sideBySide() throws {
        let state = try StateDirectory.sampled(records: 100)
        let file = try state.configuration("nonsense")
        let programs = try (0..<20).map { _ in try state.pruned("--run-now", "--config", file).start() }
        for program in programs { #expect(try program.wait().status == 78) }
        #expect(try entries(state).map(\.kind) == Array(repeating: "refused", count: 20))
    }

    @Test("no value reaches a terminal as it is")
    func hostileValues() throws {
        let state = try StateDirectory.sampled(records: 100)
        try state.runNow.run().checked()
        let value = "'a' || char(10, 13, 27) || '[2J' || char(8238)"
        try state.ledger.query(
            "INSERT INTO history (kind, time, by, user, reason)"
                + " VALUES ('refused', unixepoch() * 1000000, 'hand', \(value), \(value))")
        for output in [try shown(state).checked().output, try shown(state, "--json").checked().output] {
            #expect(output.contains("refused"))
            let control = output.unicodeScalars.filter {
                $0 != "\n" && $0 != "…" && ($0.value < 32 || $0.value > 126)
            }
            #expect(control.isEmpty, "\(output)")
        }
    }

    @Test("a ledger that cannot be written stops no run, and that is said once")
    func unwritable() throws {
        let state = try StateDirectory.sampled()
        try state.pruned("--run-now", "--rule", "timeline").run().checked()
        let reader = try state.ledgerReader()
        let ended = try state.runNow.run()
        #expect(ended.status == 75, "\(ended)")
        #expect(try ended.report()["items"]?.deleted == 39)
        #expect(ended.errors.components(separatedBy: "cannot record the history").count == 2, "\(ended)")
        #expect(ended.errors.components(separatedBy: "cannot remember the run").count == 2, "\(ended)")
        try reader.wait().checked()
        #expect(try entries(state).count == 1)
    }

    @Test("whoever may not look in the state directory is told so", .root)
    func strangers() throws {
        let state = try StateDirectory.sampled(records: 100)
        chmod(state.path, 0o700)
        let history = state.pruned("history")
        let ended = try AnotherUser.stranger.program(history, in: state.sandbox).run()
        #expect(ended.status == 74, "\(ended)")
        #expect(
            ended.errors.contains("cannot look at the state in \(state.path): Permission denied"), "\(ended)")
    }

    @Test("what root refuses in another user's state directory is that user's", .root)
    func owner() throws {
        let state = try StateDirectory.sampled(records: 100)
        for name in FileTree(state.path).names {
            try AnotherUser.app.own(state.path + "/" + name, mode: 0o660)
        }
        try AnotherUser.app.own(state.path, mode: 0o750)
        #expect(try state.pruned("--config", state.configuration("nonsense")).run().status == 78)
        let entry = try #require(FileTree(state.path).entries["ledger/state.sqlite"])
        #expect(entry.owner == AnotherUser.app.user && entry.permissions == 0o600)
    }
}
