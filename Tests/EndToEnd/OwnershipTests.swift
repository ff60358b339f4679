import TestSupport
import Foundation
import Testing

/// Whoever runs it, what it leaves is of use to whom the store belongs.
@Suite struct OwnershipTests {
    private static let builtIn = StateDirectory.filesAtRest

    @Test(
        "in another user's state directory root leaves only what that user can use", .root,
        arguments: [true, false])
    func rootInAnotherUsersDirectory(isFilled: Bool) throws {
        let app = AnotherUser.app
        let state = try StateDirectory()
        _ = try state.sandbox.makeDirectory("state")
        try app.own(state.path, mode: 0o750)
        if isFilled {
            var reader = try app.program(.reader, in: state.sandbox)
            reader.arguments = ["sample", "--state-dir", state.path, "--records", "100"]
            try reader.run().checked()
        }
        try state.runNow.run().checked()

        let tree = FileTree(state.path)
        #expect(tree.names == (isFilled ? Self.builtIn : StateDirectory.filesOfEmptyStore))
        for (name, entry) in tree.entries {
            #expect(entry.owner == app.user && entry.group == app.group, "\(name)")
            #expect(entry.mode & 0o600 == 0o600, "\(name)")
        }
        let program = try app.program(state.runNow, in: state.sandbox)
        #expect(try program.run().checked().report().deleted.values.allSatisfy { $0 == 0 })
        var sql = state.store
        sql.prefix = app.prefix
        try sql.query("INSERT INTO item VALUES (-1, unixepoch() - 86400 * 365), (-2, unixepoch())")
        #expect(try program.run().checked().report()["items"]?.deleted == 1)
    }

    @Test("a run of root's that is killed leaves nothing that keeps the owner out", .root, .tracing)
    func killedRoot() throws {
        let app = AnotherUser.app
        var state = try StateDirectory()
        _ = try state.sandbox.makeDirectory("state")
        try app.own(state.path, mode: 0o750)
        try state.runNow.run().checked()
        var sql = state.store
        sql.prefix = app.prefix
        try sql.query(
            "WITH n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 10000)"
                + " INSERT INTO item SELECT i, iif(i % 2, 1000000000, unixepoch()) FROM n")
        state.prefix = Fault.prefix("pwrite64:signal=KILL:when=30")
        #expect(try state.runNow.run().status == 128 + SIGKILL)
        #expect(FileTree(state.path).names.contains("shared/reader.sqlite-wal"))
        for (name, entry) in FileTree(state.path).entries { #expect(entry.owner == app.user, "\(name)") }
        state.prefix = []
        let ended = try app.program(state.runNow, in: state.sandbox).run()
        #expect(ended.status == 0, "\(ended)")
        #expect(try sql.query("SELECT count(*) FROM item; PRAGMA integrity_check") == "5000\nok")
    }

    /// A store of an app's that a member of its group may read, and not write: mode 0644 in a directory 2770. `sql` is
    /// the app's, and `plan` is the member's.
    private func readableStore() throws -> (state: StateDirectory, store: Database, plan: Program) {
        let (app, member) = (AnotherUser.app, AnotherUser(user: 4_713, group: AnotherUser.app.group))
        let state = try StateDirectory()
        let directory = try state.sandbox.makeDirectory("app")
        try app.own(directory, mode: 0o2770)
        let store = Database(path: directory + "/app.db", prefix: app.prefix)
        try store.query(
            "PRAGMA journal_mode = WAL; CREATE TABLE log (at INTEGER); INSERT INTO log VALUES (unixepoch() - 9000000)"
        )
        try app.own(store.path, mode: 0o644)
        try member.own(try state.sandbox.makeDirectory("state"), mode: 0o700)
        let configuration = try state.configuration(
            """
            [store.app]
            path = "\(store.path)"
            [rule.log]
            table = "log"
            age_column = "at"
            keep = "30d"
            """)
        let plan = try member.program(state.pruned("plan", "--config", configuration), in: state.sandbox)
        return (state, store, plan)
    }

    @Test("who may only read a store creates no log or index of it that its app could not write to", .root)
    func logWithoutIndex() throws {
        let (state, store, plan) = try readableStore()
        let app = try store.openedByApp()
        try store.query("INSERT INTO log VALUES (unixepoch())")
        app.send(SIGKILL)
        _ = try app.wait()
        #expect(unlink(store.path + "-shm") == 0)
        let before = FileTree(state.sandbox.path + "/app")
        let ended = try plan.run()
        #expect(ended.status == 74 && ended.output.contains("would lock its owner out"), "\(ended)")
        #expect(FileTree(state.sandbox.path + "/app") == before)
        #expect(try store.count("SELECT count(*) FROM log") == 2)
    }

    @Test(
        "beside an app that opens and closes its store, who may only read it gets a plan and leaves no file",
        .root)
    func openingAndClosing() throws {
        let (state, store, plan) = try readableStore()
        var program = Program(
            path: "sh",
            arguments: [
                "-c",
                "while :; do sqlite3 -cmd '.timeout 5000' \"$0\" 'INSERT INTO log VALUES (unixepoch())' || exit; done",
                store.path,
            ])
        program.prefix = AnotherUser.app.prefix
        let app = try program.start()
        for _ in 1...10 {
            let ended = try plan.run()
            #expect(ended.status == 74 && ended.output.contains("rows"), "\(ended)")
        }
        app.send(SIGKILL)
        _ = try app.wait()
        for (name, entry) in FileTree(state.sandbox.path + "/app").entries {
            #expect(entry.owner == AnotherUser.app.user, "\(name)")
        }
        #expect(!app.errors.contains("readonly"))
    }

    @Test("what a run could not write, plan, dry run and check say, and they end as it does", .root)
    func unwritable() throws {
        let (app, member) = (AnotherUser.app, AnotherUser(user: 4_713, group: AnotherUser.app.group))
        let state = try StateDirectory()
        let directory = try state.sandbox.makeDirectory("app")
        let store = Database(path: directory + "/app.db")
        try store.query("CREATE TABLE log (at INTEGER); INSERT INTO log VALUES (unixepoch() - 9000000)")
        try app.own(directory, mode: 0o770)
        try app.own(store.path, mode: 0o664)
        try member.own(try state.sandbox.makeDirectory("state"), mode: 0o700)
        let configuration = try state.configuration(
            """
            store.app.path = "\(store.path)"
            rule.log = { table = "log", age_column = "at", keep = "30d" }
            """)
        for command in [["plan"], ["--run-now", "--dry-run"], ["check"], ["--run-now"]] {
            var program = state.pruned("--config", configuration)
            program.arguments = command + program.arguments
            let ended = try member.program(program, in: state.sandbox).run()
            #expect(ended.status == 74, "\(ended)")
            let words = (ended.output + ended.errors).split(whereSeparator: \.isWhitespace)
            #expect(words.joined(separator: " ").contains("would lock its owner out"), "\(ended)")
        }
        let plan = try member.program(state.pruned("plan", "--config", configuration), in: state.sandbox)
        #expect(try plan.run().output.contains("1 of 1 rows"), "what it counted is shown all the same")
        #expect(try store.count("SELECT count(*) FROM log") == 1)
    }

    @Test("a check by root finds a configuration in its place that the service's user cannot read", .root)
    func unreadableConfiguration() throws {
        let etc = try OwnEtc()
        var state = try StateDirectory()
        _ = try state.sandbox.makeDirectory("state")
        try AnotherUser.app.own(state.path, mode: 0o750)
        chmod(state.sandbox.path, 0o755)
        state.prefix = etc.prefix
        let text = try String(contentsOfFile: state.readRecordsFile(""), encoding: .utf8)
        try etc.write("pruned.toml", text, mode: 0o600)
        let file = "/etc/pruned/pruned.toml"
        for arguments in [[], ["--config", file]] {
            var program = state.pruned("check")
            program.arguments += arguments
            let refused = try program.run()
            #expect(refused.status == 78 && refused.output.contains("WRONG: \(file)"), "\(refused)")
            #expect(refused.errors.contains("chmod a+r \(file)"), "\(refused)")
        }
        try etc.write("pruned.toml", text)
        #expect(try state.pruned("check").run().status == 0)
    }

    @Test(
        "one that is not yet in its place need be readable by root alone, as a tool's that checks it before",
        .root)
    func candidate() throws {
        let state = try StateDirectory()
        _ = try state.sandbox.makeDirectory("state")
        try AnotherUser.app.own(state.path, mode: 0o750)
        chmod(state.sandbox.path, 0o755)
        let file = try state.readRecordsFile("")
        chmod(file, 0o600)
        let directory = try state.sandbox.makeDirectory("ansible")
        let dropIn = try state.sandbox.write("ansible/source", "[batch]\nlock_time = \"5ms\"\n")
        chmod(dropIn, 0o600)
        chmod(directory, 0o700)
        for program in [
            state.pruned("check", "--config", file),
            state.pruned("check", "--config", file, "--drop-in", dropIn),
        ] {
            let taken = try program.run()
            #expect(taken.status == 0 && taken.output.contains("ok: \(file)"), "\(taken)")
            #expect(taken.output.contains("once installed, the service must"), "\(taken)")
        }
        try Data("keep = 3".utf8).write(to: URL(filePath: dropIn))
        #expect(try state.pruned("check", "--config", file, "--drop-in", dropIn).run().status == 78)
    }

    @Test("a foreign store of another user's is refused with what would help", .root)
    func foreignStore() throws {
        let app = AnotherUser.app
        let state = try StateDirectory()
        _ = try state.sandbox.makeDirectory("state")
        try AnotherUser.stranger.own(state.path, mode: 0o755)
        let directory = try state.sandbox.makeDirectory("app")
        let store = Database(path: directory + "/app.sqlite")
        try store.query("CREATE TABLE item (at INTEGER); INSERT INTO item VALUES (unixepoch() - 100000)")
        // Everybody may write it: what matters is whose files SQLite would leave beside it.
        try app.own(store.path, mode: 0o666)
        try app.own(directory, mode: 0o777)
        let before = FileTree(directory)
        let run = try state.runNow(
            configuration: """
                store.app.path = "\(store.path)"
                rule.items = { table = "item", age_column = "at", keep = "1d" }
                """)
        chmod(state.sandbox.path, 0o755)
        // Root, too: it works as the owner of the state directory.
        for program in [run, try AnotherUser.stranger.program(run, in: state.sandbox)] {
            let ended = try program.run()
            #expect(ended.status == 74, "\(ended)")
            let rule = try ended.report()["items"]
            #expect(rule?.reason?.contains("it belongs to user 4711") == true, "\(ended)")
            #expect(rule?.hint?.contains("run as its owner, or share it") == true)
            #expect(FileTree(directory) == before)
        }
    }

    @Test(
        "what lets nobody further on the way to a store is named, over links, and root's group is no way",
        .root)
    func closedDirectory() throws {
        let state = try StateDirectory()
        _ = try state.sandbox.makeDirectory("state")
        try AnotherUser.stranger.own(state.path, mode: 0o755)
        let closed = try state.sandbox.makeDirectory("closed")
        let store = Database(path: closed + "/app/app.sqlite")
        _ = try state.sandbox.makeDirectory("closed/app")
        try store.query("CREATE TABLE item (at INTEGER); INSERT INTO item VALUES (unixepoch() - 100000)")
        chmod(closed, 0o770)
        let open = try state.sandbox.makeDirectory("open")
        symlink("../closed/app", open + "/app")
        chmod(state.sandbox.path, 0o755)
        for path in [store.path, open + "/app/app.sqlite"] {
            let run = try state.runNow(
                configuration: """
                    store.app.path = "\(path)"
                    rule.items = { table = "item", age_column = "at", keep = "1d" }
                    """)
            let ended = try run.run()
            #expect(ended.status == 74, "\(ended)")
            let hint = try #require(try ended.report()["items"]?.hint)
            #expect(hint.contains("closed, which belongs") && !hint.contains("adduser"), "\(ended)")
        }
    }

    @Test(
        "a store that its directory shares is pruned by its owner alone, and stays usable for the group",
        .root)
    func sharedStore() throws {
        let (app, member) = (AnotherUser.app, AnotherUser(user: 4_713, group: 4_712))
        let state = try StateDirectory()
        _ = try state.sandbox.makeDirectory("state")
        chmod(state.sandbox.path, 0o755)
        try app.own(state.path, mode: 0o2750)
        var reader = try app.program(.reader, in: state.sandbox)
        reader.arguments = ["sample", "--state-dir", state.path, "--records", "100"]
        try reader.run().checked()
        let run = try member.program(state.runNow, in: state.sandbox).run()
        #expect(run.status == 74 && run.output.isEmpty, "\(run)")
        let byOwner = try app.program(state.runNow, in: state.sandbox).run().checked()
        #expect(try byOwner.report()["items"]?.deleted == 4)
        try member.program(state.pruned("check"), in: state.sandbox).run().checked()
        var sql = state.store
        sql.prefix = member.prefix
        try sql.query("INSERT INTO item VALUES (-2, unixepoch())")
    }

    @Test("a user who may not write the store is told so, and nothing is left", .root)
    func unwritableStore() throws {
        let (state, own) = (try StateDirectory.sampled(records: 10), try StateDirectory())
        let file = try own.configuration(
            "[store.s]\npath = \"\(state.storePath)\"\n[rule.r]\ntable = \"item\"\nage_column = \"timestamp\"\nkeep = \"9y\""
        )
        _ = try own.sandbox.makeDirectory("state")
        try AnotherUser.nobody.own(own.path, mode: 0o700)
        for path in [state.sandbox.path, own.sandbox.path, state.path, state.path + "/shared"] {
            chmod(path, 0o755)
        }
        chmod(state.storePath, 0o644)
        let before = FileTree(state.path)
        let program = try AnotherUser.nobody.program(
            own.pruned("--run-now", "--json", "--config", file), in: own.sandbox)
        let ended = try program.run()
        #expect(ended.status == 74, "\(ended)")
        #expect(
            try ended.report().rules.allSatisfy { $0.reason?.contains("cannot be written") == true },
            "\(ended)")
        #expect(FileTree(state.path) == before)
    }
}
