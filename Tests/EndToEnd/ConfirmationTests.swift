import TestSupport
import Foundation
import Testing

/// What is held goes once a person has said so, and nothing else goes by that word.
@Suite struct ConfirmationTests {
    private let state: StateDirectory
    private let file: String

    init() throws {
        state = try StateDirectory.holding(expired: 1_200, fresh: 100)
        file = try state.readRecordsFile()
    }

    private func run(_ arguments: String..., by file: String? = nil) throws -> EndedProgram {
        var program = state.pruned("--run-now", "--json", "--config", file ?? self.file)
        program.arguments += arguments
        return try program.run()
    }

    @Test("a confirmed rule goes, once")
    func once() throws {
        #expect(try run().only(3).deleted == 0)
        #expect(try run("--confirm", "only", "--dry-run").only(0).expired == 1_200)
        #expect(try state.records == 1_300)
        #expect(try run("--confirm", "only").only(0).deleted == 1_200)
        #expect(try state.records == 100)
        try state.addRecords(1_200, days: 400)
        #expect(try run().only(3).deleted == 0)
    }

    @Test("who confirms what is not held is told so, and the run ends as it would have")
    func notHeld() throws {
        let file = try state.readRecordsFile("guard = { max_share = 1 }", name: "lax.toml")
        for arguments in [["--dry-run"], []] {
            var program = state.pruned("--run-now", "--confirm", "only", "--config", file)
            program.arguments += arguments
            let ended = try program.run().checked()
            #expect(
                ended.errors.contains(
                    "pruned: rule only was not held: there was nothing to confirm\n        `pruned --"),
                "\(ended)")
            #expect(ended.errors.contains(" status` says what is held\n"), "\(ended)")
        }
        let asked = try state.pruned("confirm", "--yes", "only", "--config", file).run()
        #expect(asked.status == 1 && asked.errors.contains("it needs no confirmation: `pruned "), "\(asked)")
        #expect(!asked.errors.contains("--yes"), "it would say the same again: \(asked)")
        #expect(try state.records == 100)
        #expect(try !state.pruned("--run-now", "--config", file).run().checked().errors.contains("confirm"))
    }

    @Test("who confirms what was held, or cannot be seen to be, is told nothing of that")
    func confirmedInEarnest() throws {
        #expect(try !run("--confirm", "only").errors.contains("nothing to confirm"), "it is held now")
        #expect(try !run("--confirm", "only", "--dry-run").errors.contains("nothing to confirm"))
        #expect(try !run("--confirm", "only").errors.contains("nothing to confirm"))
        #expect(try state.records == 100)
    }

    @Test("the commands in a hint can be copied into a shell, from anywhere", arguments: [0, 1, 2])
    func hints(number: Int) throws {
        let state = try StateDirectory("it's a state")
        try state.sample(records: 1_300)
        try state.store.query("UPDATE read_record SET created_at = 1000000000; DELETE FROM tweet")
        let hint = try #require(try state.runNow.run().report()["read-records"]?.hint)
        let commands = hint.split(separator: "`", omittingEmptySubsequences: false)
            .enumerated().filter { !$0.offset.isMultiple(of: 2) }.map { String($0.element) }
        #expect(commands.count == 3)
        var shell = Program(path: "sh", arguments: ["-euc", commands[number]])
        let programs = (Program.pruned.path as NSString).deletingLastPathComponent
        shell.environment["PATH"] = programs + ":" + (ProcessInfo.processInfo.environment["PATH"] ?? "")
        // The plan says that it would be held.
        #expect(try shell.run().status == [3, 0, 0][number])
        let isGone = try state.store.count("SELECT count(*) FROM read_record") == 0
        #expect(isGone == commands[number].contains("--run-now"))
    }

    @Test("what nobody can have seen is held even if it is confirmed, and goes when that is said again")
    func unseen() throws {
        let first = try run("--confirm", "only").only(3)
        #expect(first.reason?.contains("it was not held before, so the confirmation covers") == true)
        #expect(first.hint?.contains("--run-now --confirm only` again") == true)
        #expect(try run("--confirm", "only").only(0).deleted == 1_200)
    }

    @Test(
        "a confirmation covers rows that expired since, up to a tenth as many, and not one more",
        arguments: [(120, true), (121, false)])
    func expiredSince(more: Int, isCovered: Bool) throws {
        #expect(try run().only(3).expired == 1_200)
        try state.expireRecords(more)
        let rule = try run("--confirm", "only").only(isCovered ? 0 : 3)
        #expect(rule.deleted == (isCovered ? 1_200 + more : 0))
        guard !isCovered else { return }
        #expect(rule.reason?.contains("the confirmation was for 1,200 rows") == true)
        // It has been seen now.
        #expect(try run("--confirm", "only").only(0).deleted == 1_200 + more)
    }

    @Test(
        "a confirmation covers no other rows than those that were shown, be they as many",
        arguments: [(0, 1), (1, 0), (1, 1)])
    func otherRows(gone: Int, come: Int) throws {
        #expect(try run().only(3).expired == 1_200)
        try state.store.query(
            "DELETE FROM read_record WHERE id IN (SELECT id FROM read_record WHERE created_at"
                + " < unixepoch() - 86400 LIMIT \(gone))")
        try state.addRecords(come, days: 400)
        let rule = try run("--confirm", "only").only(3)
        #expect(rule.deleted == 0)
        #expect(rule.reason?.contains("the confirmation was for other rows") == true)
        // They have been seen now.
        #expect(try run("--confirm", "only").only(0).deleted == 1_200 - gone + come)
    }

    @Test(
        "a confirmation is bound to the rule as it was, and to its archive",
        arguments: ["keep = \"31d\"", "guard = { max_share = 0.4 }", "archive = true"])
    func rule(changed: String) throws {
        #expect(try run().only(3).deleted == 0)
        let other =
            changed.hasPrefix("keep")
            ? try state.readRecordsFile(keep: "31d", name: "other.toml")
            : try state.readRecordsFile(changed, name: "other.toml")
        let held = try run("--confirm", "only", by: other).only(3)
        #expect(held.reason?.contains("the confirmation was for another rule") == true)
        #expect(try run("--confirm", "only", by: other).only(0).deleted == 1_200)
    }

    @Test(
        "what no run has held yet is confirmed by its plan: that asks on a terminal, and without one takes --yes"
    )
    func beforeTheFirstRun() throws {
        let confirm = state.pruned("confirm", "only", "--config", file)
        let early = try confirm.run()
        #expect(early.status == 1 && early.errors.contains("rule only is not held"), "\(early)")
        for (answer, status) in [("n", Int32(3)), ("y", 0)] {
            // `script` gives the program a terminal, and types the answer into it.
            var terminal = Program(
                path: "sh",
                arguments: [
                    "-c", "echo \(answer) | script -qec '\(confirm.line.joined(separator: " "))' /dev/null",
                ])
            terminal.environment = ["HOME": "/nonexistent"]
            let shown = try terminal.run()
            #expect(shown.status == status, "\(shown)")
            #expect(shown.output.contains("would delete 1,200 of 1,300 rows"), "\(shown)")
            #expect(shown.output.contains("Delete these 1,200 rows, once? [y/N]"), "\(shown)")
            #expect(shown.output.contains("confirmed for one run") == (answer == "y"), "\(shown)")
        }
        #expect(try state.records == 1_300, "a confirmation deletes nothing by itself")
        #expect(try run().only(0).deleted == 1_200)
        try state.addRecords(1_200, days: 400)
        #expect(try run().only(3).deleted == 0, "once")
        var again = confirm
        again.arguments.append("--yes")
        let taken = try again.run().checked()
        #expect(taken.output.contains("the next run takes it"), "\(taken)")
        #expect(try run().only(0).deleted == 1_200)
    }

    @Test("a confirmation is bound to the day of the cutoff", .fakingTime)
    func day() throws {
        let clock = try FakeClock(offset: "+0", in: state.sandbox)
        let program = state.pruned(
            "--run-now", "--json", "--config", file, "--trust-clock", "--confirm", "only")
        #expect(try clock.applied(to: program).run().only(3).deleted == 0)
        try clock.set("+1d")
        let held = try clock.applied(to: program).run().only(3)
        #expect(held.reason?.contains("the confirmation was for a cutoff on ") == true, "\(held)")
        #expect(try clock.applied(to: program).run().only(0).deleted == 1_200)
    }

    @Test("a hold of a rule that was changed since is not confirmed, nor one that cannot be looked for")
    func stale() throws {
        #expect(try run().only(3).deleted == 0)
        let holds = try state.ledger.query("SELECT * FROM hold")
        for (keep, more) in [("31d", ""), ("30d", "guard = { max_share = 0.4 }")] {
            let other = try state.readRecordsFile(keep: keep, more, name: "other.toml")
            let ended = try state.pruned("confirm", "only", "--config", other).run()
            #expect(ended.status == 1)
            #expect(ended.errors.contains("rule only was changed since it was held"), "\(ended)")
        }
        #expect(try state.ledger.query("SELECT * FROM hold") == holds)
        #expect(try run().only(3).deleted == 0)

        try state.pruned("confirm", "only", "--config", file).run().checked()
        #expect(try run().only(0).deleted == 1_200, "a run by hand takes it, too")

        let missing = try StateDirectory()
        let ended = try missing.pruned("confirm", "items").run()
        #expect(ended.status == 74, "\(ended)")
        #expect(FileTree(missing.sandbox.path).names.isEmpty)
    }

    @Test("what is not a rule, or not in the run, cannot be confirmed")
    func usage() throws {
        for arguments in [
            ["--run-now", "--confirm", "nonsense"], ["--confirm", "only"], ["--run-now", "--confirm"],
            ["--run-now", "--rule", "items", "--confirm", "timeline"], ["confirm"], ["confirm", "nonsense"],
            ["confirm", "items", "--run-now"],
        ] {
            var program = state.pruned()
            program.arguments = arguments + program.arguments
            let ended = try program.run()
            #expect(ended.status == 64, "\(ended)")
        }
    }

    @Test("what a plan shows can be confirmed before anything ran, where no state directory is yet")
    func beforeAnything() throws {
        let later = try StateDirectory("later")
        let file = try later.configuration(
            try String(contentsOfFile: self.file, encoding: .utf8).replacing(
                "\"shared/reader.sqlite\"", with: "\"\(state.storePath)\""))
        #expect(try later.pruned("plan", "--config", file).run().status == 3)
        #expect(try later.pruned("confirm", "only", "--config", file).run().status == 74)
        #expect(!FileManager.default.fileExists(atPath: later.path))
        try later.pruned("confirm", "--yes", "only", "--config", file).run().checked()
        try later.pruned("--run-now", "--config", file).run().checked()
        #expect(try state.records == 100)
    }
}
