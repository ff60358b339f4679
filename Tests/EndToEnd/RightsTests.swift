import TestSupport
import Foundation
import Testing

/// Whoever may not read the state is told so, and never that there is nothing.
@Suite(.root) struct RightsTests {
    private static let hint = "run as root"

    private func asStranger(_ program: Program, _ state: StateDirectory) throws -> EndedProgram {
        let ended = try AnotherUser.stranger.program(program, in: state.sandbox).run()
        #expect(!ended.errors.contains("pruned: warning"), "\(ended)")
        return ended
    }

    @Test(
        "in a directory that is closed to them every command says so, and what helps",
        arguments: [
            ["restore", "20260101T000000Z-0000", "--dry-run"], ["confirm", "items"], ["--run-now"],
            ["--run-now", "--dry-run"], ["plan"], ["check"], ["status"], ["history"],
        ])
    func closedDirectory(arguments: [String]) throws {
        let state = try StateDirectory.sampled(records: 10)
        // Nobody is sent into root's group.
        try #require(chown(state.path, 0, 4_711) == 0)
        chmod(state.path, 0o2770)
        var program = state.pruned()
        program.arguments = arguments + program.arguments
        let before = FileTree(state.path)
        let ended = try asStranger(program, state)
        #expect(ended.status == 74, "\(ended)")
        #expect(
            ended.errors.contains("in \(state.path)") && ended.errors.contains("Permission denied"),
            "\(ended)")
        #expect(ended.errors.contains(Self.hint), "\(ended)")
        #expect(!ended.output.contains("not there yet"), "\(ended)")
        #expect(FileTree(state.path) == before)
    }

    @Test(
        "ledger and archives are their user's alone, its group reads the published status, and nothing is left beside, whatever the umask",
        arguments: ["000", "077"])
    func ledgerModes(umask: String) throws {
        let state = try StateDirectory.sampled(records: 100)
        chmod(state.path, 0o2750)
        var run = state.runNow
        run.prefix = ["sh", "-c", "umask \(umask); exec \"$@\"", "sh"]
        try run.run().checked()
        #expect(FileTree(state.path).names == StateDirectory.filesAtRest)
        for name in StateDirectory.filesAtRest where !name.hasPrefix("shared") {
            let isFile = name.hasSuffix("sqlite")
            let expected: mode_t = name == "status.json" ? 0o640 : isFile ? 0o600 : 0o2700
            #expect(try mode(of: state.path + "/" + name) == expected, "\(name)")
        }
    }

    private func mode(of path: String) throws -> mode_t {
        var status = stat()
        try #require(lstat(path, &status) == 0)
        return status.st_mode & 0o7777
    }

    @Test("a ledger that is closed to them is no empty one", arguments: [0o750, 0o755] as [mode_t])
    func closedLedger(mode: mode_t) throws {
        let state = try StateDirectory.holding(expired: 1_200, fresh: 100)
        #expect(try state.runNow.run().status == 3)
        chmod(state.storePath, 0o666)
        chmod(state.path, 0o775)
        chmod(state.path + "/ledger", mode)
        for program in [state.pruned("confirm", "read-records"), state.runNow, state.pruned("plan")] {
            let ended = try asStranger(program, state)
            #expect(ended.status == 74 && !ended.errors.contains("is not held"), "\(ended)")
            #expect(ended.errors.contains("\(state.ledger.path): Permission denied\n"), "\(ended)")
            #expect(ended.errors.contains(Self.hint), "\(ended)")
        }
        #expect(try state.records == 1_300)
    }

    @Test("the service does not start on a state that it cannot read")
    func service() throws {
        let app = AnotherUser.app
        let state = try StateDirectory()
        _ = try state.sandbox.makeDirectory("state")
        try app.own(state.path, mode: 0o750)
        try state.runNow.run().checked()
        chmod(state.ledger.path, 0)
        let ended = try app.program(state.pruned(), in: state.sandbox).run(seconds: 20)
        #expect(ended.status == 74 && ended.errors.contains("state.sqlite: Permission denied"), "\(ended)")
    }

    @Test("a plan says what of the store it is that may not be read")
    func closedStore() throws {
        let state = try StateDirectory.sampled(records: 10)
        chmod(state.path + "/shared", 0o755)
        chmod(state.storePath, 0o600)
        let file = try state.configuration(
            "[store.s]\npath = \"\(state.storePath)\"\n[rule.r]\ntable = \"item\"\nage_column = \"timestamp\"\nkeep = \"9y\""
        )
        var program = Program.pruned
        program.arguments = ["plan", "--config", file, "--state-dir", state.sandbox.path + "/none"]
        chmod(state.path, 0o755)
        let ended = try asStranger(program, state)
        #expect(
            ended.status == 74 && ended.output.contains("the file cannot be read (Permission denied)"),
            "\(ended)")
    }

    @Test("an archive that may not be read is not to be moved away for that")
    func closedArchive() throws {
        let store = try OddStore(rows: 100)
        try store.run().run().checked()
        let runID = try #require(store.archivedRuns().first)
        for entry in FileTree(store.state.path).names { chmod(store.state.path + "/" + entry, 0o666) }
        for directory in ["", "/ledger", "/archive", "/archive/odd"] {
            chmod(store.state.path + directory, 0o755)
        }
        chmod(store.archive.path, 0o600)
        for program in [
            try store.restore(runID, "--dry-run"),
            store.state.pruned("plan", "--config", try store.configuration()),
        ] {
            let ended = try asStranger(program, store.state)
            #expect(ended.status == 74, "\(ended)")
            let told = ended.output + ended.errors
            #expect(told.contains("Permission denied") && !told.contains("move it away"), "\(ended)")
        }
    }

    @Test(
        "who is in the state directory's group sees status and history, and neither rows nor runs nor forges anything"
    )
    func member() throws {
        let store = try OddStore(rows: 400)
        let (app, member) = (AnotherUser.app, AnotherUser(user: 4_713, group: AnotherUser.app.group))
        try store.state.give(to: app, mode: 0o2750)
        let file = try store.configuration()
        let run = { (arguments: [String]) in
            var program = store.state.pruned()
            program.arguments = arguments + ["--config", file] + program.arguments
            return try member.program(program, in: store.state.sandbox).run()
        }
        try app.program(store.run(), in: store.state.sandbox).run().checked()
        let runID = try #require(store.archivedRuns().first)
        let own = try app.program(
            store.state.pruned("status", "--json", "--config", file), in: store.state.sandbox
        )
        .run().checked().object()
        let shown = try run(["status", "--json"]).checked().object()
        for key in ["rules", "holds", "deleted_per_day", "clock_reason"] {
            #expect((shown[key] as? NSObject) == (own[key] as? NSObject), "\(key)")
        }
        let data = try Data(contentsOf: URL(filePath: store.state.path + "/status.json"))
        let published = try JSONSerialization.jsonObject(with: data) as? NSDictionary
        for key in ["rules", "holds", "time_zone", "configuration", "state_directory"] {
            let values = [(published?["status"] as? NSDictionary)?[key], own[key]].map { $0 as? NSObject }
            #expect(values[0] == values[1], "\(key)")
        }
        let entries = try #require(published?["history"] as? [NSDictionary])
        #expect(entries.first?["run_id"] as? String == runID)
        #expect(try run(["status"]).checked().output.contains("as its owner published it at"))
        let history = try run(["history", "--json"]).checked()
        #expect(history.output.contains(runID), "\(history)")
        try store.database.query("UPDATE named SET at = unixepoch() - 90 * 86400")
        let left = try store.database.count("SELECT count(*) FROM named")
        #expect(left > 0)
        for arguments in [
            ["--run-now"], ["plan"], ["restore", runID], ["confirm", "named"], ["explain", "named", "1"],
        ] {
            let ended = try run(arguments)
            #expect(ended.status == 74 && ended.errors.contains("run as root, or as the owner"), "\(ended)")
        }
        #expect(try store.database.count("SELECT count(*) FROM named") == left)
        // Nobody but its owner reads, locks, renames or replaces anything that pruned remembers.
        let attacks = """
            cd \(store.state.path); cat ledger/* archive/*/*; mv ledger x; mv status.json x; ln -s / y
            flock -n ledger echo locked; flock -n archive echo locked
            """
        var shell = Program(path: "/bin/sh", arguments: ["-c", attacks])
        shell.prefix = member.prefix
        let ended = try shell.run()
        #expect(ended.output.isEmpty, "\(ended)")
        #expect(!FileTree(store.state.path).names.contains { ["x", "y"].contains($0) })
    }

    @Test(
        "a state directory that is a file is said to be no directory, to root, too",
        arguments: [["check"], ["plan"], ["status"], ["history"], ["confirm", "items"], ["--run-now"]])
    func file(arguments: [String]) throws {
        let sandbox = try Sandbox()
        var program = Program.pruned
        program.arguments = arguments + ["--state-dir", try sandbox.write("file", "")]
        let ended = try program.run()
        #expect(ended.status == 74 && ended.errors.contains("Not a directory"), "\(ended)")
        #expect(!ended.errors.contains("run as root") && !ended.output.contains("not there yet"), "\(ended)")
    }
}
