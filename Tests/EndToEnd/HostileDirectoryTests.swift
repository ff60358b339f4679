import Foundation
import Testing

/// What others put into a directory that a run works in.
@Suite struct HostileDirectoryTests {
    private static func rules(_ path: String) -> String {
        """
        store.app.path = "\(path)"
        rule.items = { table = "item", age_column = "at", keep = "1d" }
        """
    }

    private func app(in sandbox: Sandbox) throws -> Database {
        let store = Database(path: try sandbox.makeDirectory("app") + "/app.sqlite")
        try store.query(
            "PRAGMA journal_mode = WAL; CREATE TABLE item (at INTEGER);"
                + " INSERT INTO item VALUES (unixepoch() - 100000), (unixepoch())")
        return store
    }

    @Test(
        "what others put in the place of the ledger keeps nobody waiting, and is set aside",
        arguments: ["ledger", "ledger/state.sqlite", "ledger/state.sqlite-journal"])
    func pipeAsLedger(name: String) throws {
        let state = try StateDirectory.sampled(records: 100)
        if name != "ledger" { mkdir(state.path + "/ledger", 0o750) }
        try #require(mkfifo(state.path + "/" + name, 0o660) == 0)
        for program in [state.pruned("status"), state.pruned("plan"), state.pruned("check"), state.runNow] {
            let ended = try program.run(seconds: 20)
            #expect(ended.status == 0, "\(ended)")
        }
        #expect(try state.pruned("history", "--json").run().checked().output.contains("\"run\""))
    }

    @Test("a ledger that is another name of a store is not opened")
    func storeAsLedger() throws {
        let state = try StateDirectory.sampled(records: 100)
        let elsewhere = state.sandbox.path + "/elsewhere"
        rename(state.storePath, elsewhere)
        let store = try Data(contentsOf: URL(filePath: elsewhere))
        mkdir(state.path + "/ledger", 0o750)
        try FileManager.default.linkItem(atPath: elsewhere, toPath: state.ledger.path)
        _ = try state.runNow.run(seconds: 20)
        #expect(try Data(contentsOf: URL(filePath: elsewhere)) == store)
    }

    @Test(
        "a pipe in the place of a log ends each command, and the service stops at the first signal",
        arguments: ["-wal", "-journal"])
    func pipeAsLog(companion: String) throws {
        let state = try StateDirectory()
        let store = try app(in: state.sandbox)
        try #require(mkfifo(store.path + companion, 0o660) == 0)
        let file = try state.configuration(Self.rules(store.path))
        for command in [["check"], ["plan"], ["status"], ["--run-now"]] {
            var program = state.pruned("--config", file)
            program.arguments = command + program.arguments
            let ended = try program.run(seconds: 20)
            #expect(ended.status == 74, "\(ended)")
            #expect((ended.output + ended.errors).contains("not a regular file"), "\(ended)")
        }
        let service = try state.pruned("--config", file).start()
        let ended = try service.wait(seconds: 20)
        #expect(ended.status == 74, "\(ended)")
    }

    @Test(
        "a store that is a mount of its own is refused, and its directory is named",
        .enabled(if: geteuid() == 0, "needs root"))
    func mountedFile() throws {
        let state = try StateDirectory()
        let store = try app(in: state.sandbox)
        let mounted = try state.sandbox.makeDirectory("container") + "/x.db"
        try state.sandbox.write("container/x.db", "")
        var run = try state.runNow(configuration: Self.rules(mounted))
        run.prefix = [
            "unshare", "--mount", "sh", "-c",
            "mount --bind '\(store.path)' '\(mounted)' && exec \"$@\"", "sh",
        ]
        let ended = try run.run()
        #expect(ended.status == 74, "\(ended)")
        let rule = try ended.report()["items"]
        #expect(rule?.reason?.contains("mount point") == true, "\(ended)")
        #expect(rule?.hint?.contains("\(state.sandbox.path)/app of its file system") == true, "\(ended)")
        #expect(try store.query("SELECT count(*) FROM item") == "2")
        // The directory, mounted, is what a container should have.
        run = try state.runNow(configuration: Self.rules(state.sandbox.path + "/container/app.sqlite"))
        run.prefix = [
            "unshare", "--mount", "sh", "-c",
            "mount --bind '\(state.sandbox.path)/app' '\(state.sandbox.path)/container' && exec \"$@\"", "sh",
        ]
        #expect(try run.run().checked().report()["items"]?.deleted == 1)
    }
}
