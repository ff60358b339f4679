import TestSupport
import Foundation
import Testing

/// How everything stands, as `pruned status` tells it.
@Suite(.serialized) struct StatusTests {
    private func shown(_ state: StateDirectory, _ arguments: String...) throws -> EndedProgram {
        var program = state.pruned("status")
        program.arguments += arguments
        return try program.run()
    }

    private func told(_ state: StateDirectory, _ arguments: String...) throws -> PrintedStatus {
        var program = state.pruned("status", "--json")
        program.arguments += arguments
        return try program.run().statusReport()
    }

    /// What a person copies into a shell: the lines between the one that ends so and the next empty one.
    private func pasted(_ output: String, after line: String) throws -> Program {
        let found = try #require(output.range(of: line + "\n"), "\(output)")
        let rest = output[found.upperBound...]
        let script = String(rest[..<(rest.range(of: "\n\n")?.lowerBound ?? rest.endIndex)])
        var shell = Program(path: "sh", arguments: ["-ec", script])
        let programs = (Program.pruned.path as NSString).deletingLastPathComponent
        shell.environment["PATH"] = "\(programs):/usr/bin:/bin"
        return shell
    }

    private func isNarrow(_ output: String) -> Bool {
        output.split(separator: "\n").allSatisfy { $0.count <= 80 }
    }

    @Test("before the first run there is a status, and nothing is created, not even the directory")
    func neverRun() throws {
        let state = try StateDirectory()
        let ended = try shown(state)
        #expect(ended.status == 0, "\(ended)")
        #expect(ended.output.contains(/read-records +never +- +- +now +new\n/), "\(ended)")
        #expect(ended.output.contains("not there yet: \(state.storePath)\n"), "\(ended)")
        #expect(ended.output.hasSuffix("\nrows deleted or marked in two weeks: none\n"))
        let report = try told(state)
        #expect(report.rules.allSatisfy { $0.state == "new" && $0.due && $0.lastRunAt == nil })
        #expect(report.serviceRunning == nil && report.stores.allSatisfy { !$0.exists })
        #expect(!FileManager.default.fileExists(atPath: state.path))
    }

    @Test("while a rule deletes, the status says how far it is; once its run has ended, it does not")
    func progress() throws {
        let state = try LargeStore.copy()
        let file = try state.configuration(
            """
            [store.reader]
            path = "\(state.storePath)"
            quiet = true
            [rule.read-records]
            table = "read_record"
            age_column = "created_at"
            keep = "30d"
            guard = { max_share = 1 }
            """)
        let run = try state.pruned("--run-now", "--config", file).start()
        var seen: PrintedStatus.Progress?
        try eventually("its progress") {
            seen = try told(state, "--config", file)["read-records"]?.progress
            return seen != nil
        }
        let progress = try #require(seen)
        #expect(progress.done > 0 && progress.done <= progress.expired, "\(progress)")
        let ended = try shown(state, "--config", file)
        #expect(ended.output.contains(#/\nread-records: [\d,]+ of [\d,]+ deleted, about /#), "\(ended)")
        run.send(SIGTERM)
        _ = try run.wait()
        #expect(try told(state, "--config", file)["read-records"]?.progress == nil)
    }

    @Test("after a run it says what that did, when the next is due, how large the stores are; it reads only")
    func afterARun() throws {
        let state = try StateDirectory.sampled(records: 1_000, "s")
        let before = Date()
        let report = try state.runNow.run().checked().report()
        let free = try state.store.count("PRAGMA freelist_count")
        let tree = FileTree(state.path)
        let status = try told(state)
        for rule in report.rules {
            let told = try #require(status[rule.rule])
            #expect(
                told.state == "done" && told.deleted == rule.deleted && told.durationMs == rule.durationMs)
            #expect(told.dependentsDeleted == rule.dependentsDeleted)
            let every: TimeInterval = rule.rule == "feed-cache" ? 300 : 86_400
            let wait = try #require(told.nextRunAt).timeIntervalSince(before)
            #expect((every - 3_601...every + 3_660).contains(wait), "a day may have 23 or 25 hours")
        }
        #expect(status.deletedPerDay.count == 14)
        let deleted = report.rules.reduce(0) { $0 + $1.deleted + $1.dependentsDeleted }
        #expect(status.deletedPerDay.map(\.rows).reduce(0, +) == deleted)
        let reader = try #require(status.stores.first)
        #expect(reader.bytes == tree.entries["shared/reader.sqlite"]?.size)
        #expect(reader.freeBytes == 4_096 * free)
        #expect(status.stores.map(\.store) == ["reader", "archive"])

        let ended = try shown(state).checked()
        #expect(
            ended.output.contains(/items +\d\d-\d\d \d\d:\d\d +39 +[\d.]+ ms +\d\d-\d\d \d\d:\d\d +done\n/))
        #expect(ended.output.contains(/\n  \d{4}-\d\d-\d\d +\d+  #+\n/) && isNarrow(ended.output), "\(ended)")
        #expect(FileTree(state.path) == tree)

        try state.runNow.run().checked()
        #expect(try told(state)["items"]?.deleted == 0, "nothing had expired")
    }

    @Test("scripts rely on the keys: all are there, whatever is known")
    func keys() throws {
        let state = try StateDirectory.holding(expired: 1_200, fresh: 100)
        #expect(try state.runNow.run().status == 3)
        let members = try shown(state, "--json").members(endingWith: 3)
        let keys = { (key: String) in ((members[key] as? [[String: Any]])?.first?.keys).map(Set.init) }
        #expect(
            Set(members.keys) == [
                "at", "time_zone", "configuration", "drop_ins", "configuration_reason", "configuration_hint",
                "in_force_since", "state_directory", "damaged", "service_running", "clock_reason",
                "clock_command", "rules",
                "holds",
                "stores", "deleted_per_day", "sizes", "remarks",
            ])
        #expect(
            keys("rules") == [
                "rule", "store", "table", "state", "last_run_at", "deleted", "dependents_deleted",
                "came_back", "duration_ms", "progress", "due", "next_run_at", "waits_for", "rows_left",
                "backlog_grows", "deleted_per_day", "reason", "hint",
            ])
        #expect(
            keys("holds") == [
                "rule", "since", "expired", "rows", "cutoff_day", "waits_for", "reason", "hint",
                "confirmed_at", "commands",
            ])
        #expect(
            keys("stores") == [
                "store", "path", "exists", "bytes", "free_bytes", "vacuum_bytes", "vacuum_ms", "run_by",
                "reason", "hint",
            ])
        #expect(keys("deleted_per_day") == ["day", "rows"])
    }

    @Test("the command that resolves a hold works when it is copied into a shell, wherever the state is")
    func held() throws {
        let state = try StateDirectory("der Zustand: 東京's états, " + String(repeating: "lang ", count: 20))
        try state.pruned("--run-now", "--rule", "feed-cache").run().checked()
        try state.addRecords(1_200, days: 400)
        try state.addRecords(100, days: 0)
        #expect(try state.runNow.run().status == 3)
        let report = try told(state)
        #expect(report["read-records"]?.state == "held")
        #expect(report["read-records"]?.waitsFor == "confirmation")
        #expect(report.holds.map(\.rule) == ["read-records"] && report.holds.first?.expired == 1_200)
        let ended = try shown(state)
        #expect(ended.status == 3, "a run would end so")
        #expect(ended.output.contains(/read-records +.* confirm it +held\n/), "\(ended)")
        let command = try pasted(ended.output, after: "    to delete these rows:")
        try command.run().checked()
        #expect(try state.records == 100)
        #expect(try told(state)["read-records"]?.state == "done" && told(state).holds.isEmpty)
    }

    @Test(
        "while the service runs it says so, and the printed command is for the service; no longer after a kill"
    )
    func service() throws {
        let state = try StateDirectory.holding(expired: 1_200, fresh: 100)
        let service = try Service(on: state)
        try service.waitForFirstRun()
        let running = try shown(state)
        #expect(running.status == 3 && running.output.hasPrefix("service  runs\n"), "\(running)")
        #expect(running.output.contains(/took +next run +state\n/), "\(running)")
        // It takes the confirmation at once, unless it cannot.
        service.process.send(SIGSTOP)
        try pasted(running.output, after: "    to delete these rows:").run().checked()
        let confirmed = try told(state)
        service.process.send(SIGCONT)
        #expect(confirmed["read-records"]?.state == "confirmed" && confirmed["read-records"]?.due == true)
        #expect(confirmed.holds.first?.confirmedAt != nil && confirmed.holds.first?.commands == [])
        try eventually("the run") { try state.records == 100 }
        try eventually("the end of the run") { try told(state)["read-records"]?.state == "done" }
        service.process.send(SIGKILL)
        #expect(try service.process.wait().status == 128 + SIGKILL)
        #expect(try told(state).serviceRunning == false)
        let killed = try shown(state).checked()
        #expect(killed.output.hasPrefix("service  does not run on this state directory\n"), "\(killed)")
        #expect(killed.output.contains(/took +due +state\n/), "\(killed)")
    }

    @Test("a run of the service that found nothing says so, though the history only counts it")
    func nothingExpired() throws {
        let state = try StateDirectory()
        let service = try Service(on: state)
        try service.waitForFirstRun()
        let report = try told(state)
        #expect(report.rules.allSatisfy { $0.state == "done" && $0.deleted == 0 && $0.durationMs != nil })
        #expect(report.deletedPerDay.allSatisfy { $0.rows == 0 })
        #expect(try service.stop().status == 0)
        #expect(try told(state).rules.allSatisfy { $0.state == "done" && $0.deleted == 0 })
    }

    @Test("which files lie over the configuration is told, by name where there is room for that")
    func dropIns() throws {
        let state = try StateDirectory("s")
        let file = try state.readRecordsFile()
        #expect(try told(state, "--config", file).dropIns == [])
        let directory = try state.sandbox.makeDirectory("conf.d")
        let files = ["10-a.toml", "20-b.toml"].map { directory + "/" + $0 }
        for name in files.reversed() { try Data().write(to: URL(filePath: name)) }
        let report = try told(state, "--config", file)
        #expect(report.configuration == file && report.dropIns == files)
        var inside = state.pruned("status", "--config", "pruned.toml")
        inside.directory = state.sandbox.path
        let named = try inside.run().checked()
        #expect(
            named.output.contains(
                "policy   pruned.toml\n         with 10-a.toml, 20-b.toml of conf.d\nstate    "),
            "\(named)")
        try state.sandbox.write("conf.d/\(String(repeating: "long", count: 20)).toml", "")
        let counted = try inside.run().checked()
        #expect(counted.output.contains("\n         with 3 files of conf.d\nstate    "), "\(counted)")
        try state.sandbox.write("conf.d/30-c.toml", "nonsense")
        let refused = try shown(state, "--json", "--config", file).statusReport()
        #expect(refused.configurationReason != nil && refused.dropIns == [], "none of them is in force")
    }

    @Test("what a run does just now is seen, and so is that it was killed")
    func running() throws {
        let state = try LargeStore.copy()
        let run = try state.pruned("--run-now", "--verbose").start()
        try eventually("a batch") { run.errors.contains("batch of") }
        run.send(SIGSTOP)
        let during = try told(state)
        run.send(SIGCONT)
        run.send(SIGKILL)
        #expect(try run.wait().status == 128 + SIGKILL)
        #expect(during.rules.contains { $0.state == "running" }, "\(during)")
        #expect(during.stores.first?.runBy?.hasPrefix("process \(run.processID) (pruned --run-now)") == true)
        // Its worker ends after the batch.
        try eventually("the end of the worker") { try told(state).stores.first?.runBy == nil }
        #expect(try told(state).rules.contains { $0.state == "interrupted" })
        try state.runNow.run().checked()
        #expect(try told(state).rules.allSatisfy { $0.state == "done" })
    }

    @Test("a rule that failed says why, and a damaged store keeps nobody from seeing the rest")
    func failed() throws {
        let state = try StateDirectory.holding(expired: 10, fresh: 10)
        let file = try state.readRecordsFile("unit = \"ms\"")
        #expect(try state.pruned("--run-now", "--config", file).run().status == 1)
        let report = try told(state, "--config", file)
        #expect(report["only"]?.state == "failed" && report["only"]?.waitsFor == "retry")
        let ended = try shown(state, "--config", file)
        #expect(ended.status == 1, "as that of the run")
        #expect(ended.output.contains("only: failed\n    ") && isNarrow(ended.output), "\(ended)")

        try state.sandbox.write("state/shared/reader.sqlite", String(repeating: "no database", count: 1_000))
        let damaged = try shown(state, "--json", "--config", file)
        #expect(damaged.status == 65, "\(damaged)")
        #expect(try damaged.statusReport().stores.first?.reason?.contains("not a database") == true)
        #expect(try damaged.statusReport()["only"]?.state == "failed")
    }

    @Test("what failed is tried soon again by a service that runs, and else with the next run")
    func retried() throws {
        let state = try StateDirectory.holding(expired: 1, fresh: 1)
        try state.store.query(
            "CREATE TRIGGER t BEFORE DELETE ON read_record BEGIN SELECT raise(ABORT, 'no'); END")
        let service = try Service(on: state)
        try service.waitForFirstRun()
        let running = try shown(state).output
        #expect(running.contains(/read-records .* soon again +failed\n/), "\(running)")
        try service.stop()
        let stopped = try shown(state).output
        #expect(stopped.contains(/read-records .* when it runs +failed\n/), "\(stopped)")
    }

    @Test("a rule that does not fit its store is told, and has no next run")
    func unfit() throws {
        let state = try StateDirectory.sampled(records: 10)
        let file = try state.configuration(ServiceTests.policy(column: "nonsense", keep: "1d"))
        let report = try told(state, "--config", file)
        #expect(report.rules.map(\.state) == ["unfit"] && report.rules.first?.nextRunAt == nil)
        #expect(report.rules.first?.reason?.contains("nonsense") == true)
        #expect(try shown(state, "--config", file).status == 1, "as that of a run")
    }

    @Test("a refused configuration is told, with what can be shown without one")
    func refused() throws {
        let state = try StateDirectory.sampled()
        try state.runNow.run().checked()
        let file = try state.configuration("nonsense")
        let ended = try shown(state, "--config", file)
        #expect(ended.status == 78 && ended.errors.hasPrefix("pruned: \(file): line 1"), "\(ended)")
        #expect(ended.output.contains(/items +\d\d-\d\d \d\d:\d\d +39 .* - +done\n/), "\(ended)")
        #expect(isNarrow(ended.output))
        let report = try shown(state, "--json", "--config", file).statusReport()
        #expect(report.configurationReason?.contains("line 1") == true && report.stores.isEmpty)
        #expect(report.deletedPerDay.last.map { $0.rows > 0 } == true)
    }

    @Test("a clock that is not believed is told, with the command that vouches for it", .fakingTime)
    func clock() throws {
        let state = try StateDirectory.sampled(records: 100)
        let clock = try FakeClock(offset: "+0", in: state.sandbox)
        try clock.applied(to: state.runNow).run().checked()
        try clock.set("+3d")
        let report = try clock.applied(to: state.pruned("status", "--json")).run().statusReport()
        #expect(report.clockReason?.contains("jumped ahead") == true)
        #expect(report.rules.allSatisfy { $0.waitsFor == "clock" && $0.nextRunAt == nil && !$0.due })
        let ended = try clock.applied(to: state.pruned("status")).run()
        #expect(ended.status == 3, "a run would end so")
        let lines = ended.output.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(
            lines.contains { $0.hasPrefix("clock    not believed, so nothing is deleted: ") }, "\(ended)")
        try clock.applied(to: pasted(ended.output, after: "         if it is right:")).run().checked()
        let after = try clock.applied(to: state.pruned("status", "--json")).run().checked().statusReport()
        #expect(after.clockReason == nil && after.rules.allSatisfy { $0.waitsFor == nil })
    }

    @Test("long and foreign names and a million rows stay within 80 columns")
    func wide() throws {
        let state = try StateDirectory("東京 " + String(repeating: "é", count: 60))
        try state.pruned("--run-now", "--rule", "feed-cache").run().checked()
        try state.addRecords(1_000_000, days: 400)
        let name = String(repeating: "n", count: 64)
        let file = try state.configuration(
            """
            store.\(name).path = "shared/reader.sqlite"
            [rule.\(name)]
            table = "read_record"
            age_column = "created_at"
            keep = "30d"
            guard = { max_share = 1 }
            """)
        try state.pruned("--run-now", "--config", file).run(seconds: 300).checked()
        let line = "'" + state.pruned("status", "--config", file).line.joined(separator: "' '") + "'"
        var terminal = Program(path: "script", arguments: ["-qec", line, "/dev/null"])
        terminal.environment = ["NO_COLOR": "1"]
        let output = try terminal.run().checked().output.replacing("\r\n", with: "\n")
        #expect(output.contains(/nnn… +\d\d-\d\d \d\d:\d\d +1,000,000\s/), "\(output)")
        let lines = output.split(separator: "\n").filter { !$0.contains("東京") && !$0.contains(".toml") }
        #expect(lines.allSatisfy { $0.count <= 80 } && lines.count > 18, "\(output)")
        let store = try #require(output.split(separator: "\n").last { $0.hasSuffix("reader.sqlite") })
        #expect(store.contains("  …") && store.count <= 80, "\(output)")

        for command in ["status", "history", "check"] {
            let piped = try state.pruned(command, "--config", file).run().checked().output
            #expect(piped.contains(name) && !piped.contains("…"), "\(piped)")
            #expect(command == "history" || piped.contains(state.storePath + "\n"), "\(piped)")
        }
    }

    @Test("whoever may not read all of the state is told so, rather than that nothing ever ran", .root)
    func strangers() throws {
        let state = try StateDirectory.sampled(records: 100)
        try state.runNow.run().checked()
        let status = try AnotherUser.stranger.program(state.pruned("status"), in: state.sandbox)
        chmod(state.path, 0o700)
        let closed = try status.run()
        #expect(closed.status == 74 && closed.output == "", "\(closed)")
        #expect(closed.errors.contains("cannot look at the state in \(state.path): Permission denied\n"))
        chmod(state.path, 0o755)
        let half = try status.run()
        #expect(half.status == 74 && half.output == "", "\(half)")
        #expect(half.errors.contains("cannot look at the state in \(state.path)/status.json: "), "\(half)")
    }

    @Test(
        "what belongs to a run does not are deleted with it",
        arguments: ["--run-now", "--dry-run", "--rule=items", "more"])
    func usage(argument: String) throws {
        let ended = try shown(StateDirectory(), argument)
        #expect(ended.status == 64, "\(ended)")
    }

    @Test("a damaged ledger is told, with what to do, and the rest is shown")
    func damaged() throws {
        let state = try StateDirectory.sampled(records: 100)
        try state.runNow.run().checked()
        #expect(try told(state).damaged.isEmpty)
        try state.sandbox.write("state/ledger/state.sqlite", "nonsense\n")
        let report = try told(state)
        #expect(report.damaged.map(\.path) == [state.ledger.path])
        #expect(report.damaged.allSatisfy { $0.reason.hasPrefix($0.path) && !$0.hint.isEmpty })
        #expect(report.rules.count == 5 && report.stores.count == 2)
        let ended = try shown(state).checked()
        #expect(ended.output.contains("\ndamaged  ") && isNarrow(ended.output), "\(ended)")
        try state.runNow.run().checked()
        #expect(try told(state).damaged.isEmpty, "as the hint says")
    }

    @Test(
        "a number in the ledger that none can have meant ends no program",
        arguments: [
            "UPDATE last_run SET began = 9223372036854775807, duration_ms = 1e300",
            "UPDATE clock SET time = -9223372036854775807, since_boot = 9223372036854775807",
            "UPDATE history SET time = 9223372036854775807",
        ])
    func impossibleNumbers(sql: String) throws {
        let state = try StateDirectory.sampled()
        try state.runNow.run().checked()
        try state.ledger.query(sql)
        for command in ["status", "history", "plan", "--run-now"] {
            let ended = try state.pruned(command).run()
            #expect([0, 3].contains(ended.status), "\(ended)")
        }
    }
}
