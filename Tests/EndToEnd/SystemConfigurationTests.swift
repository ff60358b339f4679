import Foundation
import Testing

/// The configuration of the system, `/etc/pruned`, which is read when no file is named.
@Suite(.enabled(if: geteuid() == 0, "only root has an /etc of its own"))
struct SystemConfigurationTests {
    private let etc: OwnEtc
    private var state: StateDirectory

    init() throws {
        etc = try OwnEtc()
        state = try StateDirectory.sampled(records: 1_000)
        state.prefix = etc.prefix
    }

    private func reload(_ service: Service) throws -> String {
        service.process.send(SIGHUP)
        return try service.hear { $0.contains("READY=1") }
    }

    @Test("without a main file conf.d lies over the built-in policy; with one, over that")
    func conf() throws {
        try etc.write("conf.d/10.toml", "[rule.items]\nkeep = \"2y\"\n")
        let alone = try state.pruned("check").run().checked()
        #expect(alone.output.contains("none, the built-in policy is in force\n"), "\(alone)")
        #expect(alone.output.contains("  drop-in file        ok: /etc/pruned/conf.d/10.toml\n"), "\(alone)")
        #expect(alone.output.contains("item.timestamp over 2y"), "\(alone)")
        #expect(alone.output.contains(/\n  table +"item" +built-in\n/), "\(alone)")
        try etc.write(
            "pruned.toml",
            "[store.reader]\npath = \"reader.sqlite\"\n[rule.items]\ntable = \"item\"\nage_column = \"timestamp\"\n"
        )
        let both = try state.pruned("check").run().checked()
        #expect(both.output.contains("configuration         ok: /etc/pruned/pruned.toml\n"), "\(both)")
        #expect(both.output.contains("item.timestamp over 2y"), "\(both)")
        #expect(!both.output.contains("rule timeline"), "\(both)")
    }

    @Test(
        "in a user's sandbox root's files are read, which seem to be nobody's, but none that others can write to"
    )
    func withoutRoot() throws {
        try etc.write(
            "pruned.toml",
            "[store.reader]\npath = \"reader.sqlite\"\n[rule.only]\ntable = \"item\"\nage_column = \"timestamp\"\nkeep = \"5y\"\n"
        )
        var sandboxed = state
        sandboxed.prefix += ["unshare", "--user", "--map-user=12345", "--map-group=12345"]
        let read = try sandboxed.pruned("check").run()
        #expect(read.output.contains("configuration         ok: /etc/pruned/pruned.toml\n"), "\(read)")
        #expect(read.output.contains("rule only"), "\(read)")
        try etc.write("conf.d/10.toml", "", mode: 0o666)
        let refused = try sandboxed.pruned("check").run()
        #expect(refused.status == 78 && refused.errors.contains("can write to it"), "\(refused)")
    }

    @Test("a user's own service that nobody configured says so where it can prune no store of the system's")
    func unconfigured() throws {
        let store = try state.sandbox.makeDirectory("store") + "/app.sqlite"
        try Program(path: "cp", arguments: [state.storePath, store]).run().checked()
        chmod(store, 0o600)
        try etc.write(
            "pruned.toml",
            "[store.app]\npath = \"\(store)\"\n[rule.only]\ntable = \"item\"\nage_column = \"timestamp\"\n"
                + "keep = \"5y\"\n")
        let own = try state.sandbox.makeDirectory("own")
        try AnotherUser.app.own(own, mode: 0o700)
        var service = Program.pruned
        service.arguments = ["--state-dir", own]
        service.environment = ["HOME": "/home/app", "NOTIFY_SOCKET": "/nowhere"]
        service = try AnotherUser.app.program(service, in: state.sandbox)
        service.prefix = etc.prefix + service.prefix
        let ended = try service.run()
        #expect(ended.status == 78, "\(ended)")
        #expect(ended.errors.contains(store), "\(ended)")
        let file = "/home/app/.config/pruned/pruned.toml"
        #expect(ended.errors.contains("there is no \(file), and user 4711 can prune no store"), "\(ended)")
        #expect(ended.errors.contains("pruned check --defaults > \(file)"), "\(ended)")
    }

    @Test("a main file that has come is in force after SIGHUP, and once read it must stay")
    func comesAndGoes() throws {
        let service = try Service(on: state)
        try service.waitForFirstRun()
        #expect(service.process.errors.contains("rules feed-cache, items, timeline, read-records, users"))
        try etc.write(
            "pruned.toml",
            "[store.reader]\npath = \"reader.sqlite\"\n[rule.only]\ntable = \"item\"\nage_column = \"timestamp\"\n"
                + "keep = \"5y\"\n")
        #expect(try !reload(service).contains("refused"))
        #expect(service.process.errors.contains("configuration read again: rules only;"))
        try etc.remove("pruned.toml")
        let refused = try reload(service)
        #expect(
            refused.contains("configuration refused: /etc/pruned/pruned.toml: cannot be read"), "\(refused)")
        try service.stop()
    }
}
