import Foundation
import TestSupport
import Testing

/// The state directory of an older version: the default store lay in it, and the group could read the ledger.
@Suite(.root) struct OlderStateTests {
    private let app = AnotherUser.app
    private let member = AnotherUser(user: 4_713, group: AnotherUser.app.group)
    private let state: StateDirectory
    private var oldPath: String { state.path + "/reader.sqlite" }

    /// With the mode that the units give it now; the rules have run there, so that the guards know them.
    init() throws {
        state = try StateDirectory.sampled(records: 100)
        try state.runNow.run().checked()
        for file in ["", "-wal", "-shm"] where access(state.storePath + file, F_OK) == 0 {
            rename(state.storePath + file, oldPath + file)
        }
        try FileManager.default.removeItem(atPath: state.path + "/shared")
        try FileManager.default.removeItem(atPath: state.path + "/status.json")
        try state.ledger.query("UPDATE last_run SET place = replace(place, 'shared/', '')")
        try state.give(to: app, mode: 0o2750)
        for directory in ["ledger", "archive", "archive/reader"] {
            try app.own(state.path + "/" + directory, mode: 0o2750)
        }
        chmod(state.sandbox.path, 0o755)
    }

    private func run(_ arguments: String...) throws -> EndedProgram {
        var program = state.pruned()
        program.arguments = arguments + program.arguments
        return try app.program(program, in: state.sandbox).run()
    }

    private var old: Database { Database(path: oldPath, prefix: app.prefix) }

    @Test("its store is moved, with all its rows, and its rules are those that ran there")
    func moves() throws {
        let rows = "SELECT count(*) FROM read_record"
        let (before, inode) = (try old.count(rows), FileTree(state.path).entries["reader.sqlite"]?.inode)
        let ended = try run("--run-now").checked()
        #expect(ended.errors.contains("the default store is now \(state.storePath)"), "\(ended)")
        #expect(try state.store.count(rows) == before)
        #expect(FileTree(state.path).entries["shared/reader.sqlite"]?.inode == inode)
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: oldPath) == "shared/reader.sqlite")
        #expect(FileTree(state.path).names == (StateDirectory.filesAtRest + ["reader.sqlite"]).sorted())
        #expect(try state.store.query("PRAGMA journal_mode") == "wal")
        for directory in ["ledger", "archive", "archive/reader"] {
            let mode = try #require(FileTree.Entry(state.path + "/" + directory)).mode
            #expect(mode & 0o077 == 0, "\(directory)")
        }
        // What an app of today and one of the old place's name see is the same.
        let reader = state.reader("items", "add", "--json")
        try member.program(reader, in: state.sandbox).run().checked()
        #expect(try Database(path: oldPath, prefix: member.prefix).count("SELECT count(*) FROM item") > 0)
        let second = try run("--run-now").checked()
        #expect(second.errors.isEmpty, "\(second)")
    }

    @Test(
        "its store is found by its old name in a configuration; one that others can write beside stays",
        arguments: [(0o2750, "the default store is now"), (0o2770, "chmod g-w")] as [(mode_t, String)])
    func oldConfiguration(mode: mode_t, told: String) throws {
        try app.own(state.path, mode: mode)
        let file = try state.configuration(
            """
            [store.reader]
            path = "reader.sqlite"
            [rule.items]
            table = "item"
            age_column = "timestamp"
            keep = "183d"
            [rule.timeline]
            table = "tweet"
            age_column = "created_at"
            keep = "30d"
            """)
        chmod(state.sandbox.path, 0o755)
        let lastRun = {
            let rules = try run("status", "--json", "--config", file).checked().object()["rules"]
            return (rules as? [NSDictionary])?.last?["last_run_at"] as? String
        }
        let before = try #require(try lastRun())
        let ended = try run("--run-now", "--rule", "items", "--config", file).checked()
        #expect(ended.errors.contains(told), "\(ended)")
        #expect(try lastRun() == before, "it is not taken for another store")
        let isMoved = FileTree(state.path).entries["shared/reader.sqlite"] != nil
        #expect(isMoved == (mode == 0o2750))
    }

    @Test(
        "a store that an app has open stays, is pruned where it is, and is moved once the app is gone",
        arguments: [true, false])
    func openStore(hasRead: Bool) throws {
        // As it was before the upgrade: the app's log and its index are made.
        try app.own(state.path, mode: 0o2770)
        var program = old.program
        program.prefix = member.prefix
        let reader = try program.start(feeds: true)
        // While it has read nothing, no lock of SQLite's tells of it.
        try reader.feed(hasRead ? "SELECT 'opened' FROM item LIMIT 1;\n" : "SELECT 'opened';\n")
        try eventually("it is open") { reader.output.contains("opened") }
        try app.own(state.path, mode: 0o2750)
        let ended = try run("--run-now").checked()
        #expect(
            ended.errors.contains("the default store stays where older versions had it")
                && ended.errors.contains("another process has it open, or"), "\(ended)")
        #expect(FileTree(state.path).entries["reader.sqlite"].map { $0.mode & S_IFMT } == S_IFREG)
        if hasRead {
            let writer = state.reader("items", "add")
            try member.program(writer, in: state.sandbox).run().checked()
            try reader.feed("SELECT (count(*) > 0) || 'rows' FROM item;\n")
            try eventually("it reads on") { reader.output.contains("1rows") }
        }
        reader.send(SIGTERM)
        _ = try reader.wait()
        #expect(try run("--run-now").checked().errors.contains("the default store is now"))
        #expect(try state.store.count("SELECT count(*) FROM item") > 0)
    }

    @Test("an app that opens the store while it is moved has it where it then is: no row of either is lost")
    func openedMeanwhile() throws {
        try old.query("CREATE TABLE marker (id INTEGER PRIMARY KEY)")
        var program = state.pruned("--run-now", "--rule", "users")
        program = try app.program(program, in: state.sandbox)
        // Between the look at the store and its first rename, and after.
        program.prefix += [
            "strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=rename", "-e",
            "inject=rename:delay_enter=500000:when=1",
        ]
        let run = try program.start()
        let writers = try (0..<3).map { number in
            var writer = old.program
            let rows = (0..<40).map { "INSERT INTO marker VALUES (\(number * 1_000 + $0));" }
            writer.arguments += [rows.joined(separator: "\n")]
            usleep(200_000)
            return try writer.start()
        }
        for writer in writers { try writer.wait().checked() }
        try run.wait().checked()
        #expect(try old.count("SELECT count(*) FROM marker") == 120)
    }

    @Test(
        "a move that is killed is made by the next run", arguments: ["symlink", "rename"], [false, true])
    func killed(call: String, isAfter: Bool) throws {
        let rows = "SELECT count(*) FROM read_record"
        let before = try old.count(rows)
        var program = try app.program(state.pruned("--run-now", "--rule", "users"), in: state.sandbox)
        // Instead of the call, or as soon as it is made.
        program.prefix += [
            "strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=\(call)", "-e",
            isAfter ? "inject=\(call):signal=KILL:when=1" : "inject=\(call):retval=0:signal=KILL:when=1",
        ]
        _ = try program.run()
        for _ in 1...2 { try run("--run-now", "--rule", "users").checked() }
        #expect(try state.store.count(rows) == before && old.count(rows) == before)
        #expect(FileTree(state.path).entries["shared/reader.sqlite"].map { $0.mode & S_IFMT } == S_IFREG)
    }

    @Test("what is held and confirmed stays so when the store is moved")
    func confirmed() throws {
        try old.query("UPDATE read_record SET created_at = 1500000000; DELETE FROM tweet")
        try app.own(state.path, mode: 0o2770)
        let held = try run("--run-now", "--rule", "read-records")
        try #require(held.status == 3, "\(held)")
        try run("confirm", "--yes", "read-records").checked()
        try app.own(state.path, mode: 0o2750)
        let ended = try run("--run-now", "--rule", "read-records").checked()
        #expect(ended.errors.contains("the default store is now"), "\(ended)")
        #expect(try state.store.count("SELECT count(*) FROM read_record") == 0)
    }

    @Test("what somebody puts where the default store is to be does not keep the other stores from their run")
    func planted() throws {
        let other = state.sandbox.path + "/other.sqlite"
        try Database(path: other).query(
            "CREATE TABLE item (id INTEGER PRIMARY KEY, timestamp INTEGER); INSERT INTO item VALUES (1, 1500000000), (2, unixepoch())"
        )
        try app.own(other, mode: 0o600)
        try app.own(state.sandbox.path, mode: 0o755)
        try run("--run-now", "--rule", "users").checked()
        try FileManager.default.removeItem(atPath: state.storePath)
        try Data().write(to: URL(filePath: state.storePath))
        chmod(state.storePath, 0)
        let rule = "table = \"item\"\nage_column = \"timestamp\"\nkeep = \"183d\"\n"
        let file = try state.configuration(
            "guard.max_share = 1\n[store.reader]\npath = \"shared/reader.sqlite\"\n[store.other]\npath = \"\(other)\"\n"
                + "[rule.a]\nstore = \"reader\"\n\(rule)[rule.b]\nstore = \"other\"\n\(rule)")
        let ended = try run("--run-now", "--json", "--config", file)
        #expect(ended.status == 74, "\(ended)")
        #expect(try Database(path: other).count("SELECT count(*) FROM item") == 1)
    }
}
