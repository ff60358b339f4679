import TestSupport
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

    private static let store = "[store.reader]\npath = \"shared/reader.sqlite\"\n"
    private static let items = "[rule.items]\ntable = \"item\"\nage_column = \"timestamp\"\n"

    @Test(
        "conf.d changes the built-in policy, until a file configures a store: then its rules alone are in force"
    )
    func conf() throws {
        let builtIn = "built-in, while no store is configured"
        let settings = "[guard]\nmax_share = 0.5\n"
        for main in [nil, settings] {
            if let main { try etc.write("pruned.toml", main) }
            try etc.write("conf.d/10.toml", "[rule.items]\nkeep = \"2y\"\n")
            let alone = try state.pruned("check", "--verbose").run().checked()
            #expect(alone.output.contains(builtIn), "\(alone)")
            #expect(alone.output.contains("/etc/pruned/conf.d/10.toml\n"), "\(alone)")
            #expect(alone.output.contains("item.timestamp over 2y"), "\(alone)")
            #expect(alone.output.contains(/\n  table +"item" +built-in\n/), "\(alone)")
        }
        try etc.write(
            "conf.d/20.toml", Self.store + "[rule.only]\ntable = \"tweet\"\nage_column = \"created_at\"\n")
        let changed = try state.pruned("check").run()
        #expect(changed.status == 78, "\(changed)")
        #expect(
            changed.errors.contains("conf.d/10.toml: rule.items: changes a rule of the built-in policy"),
            "\(changed)")
        try etc.write("conf.d/10.toml", "[rule.only]\nkeep = \"2y\"\n")
        let app = try state.pruned("check").run().checked()
        #expect(app.output.contains("tweet.created_at over 2y"), "\(app)")
        #expect(!app.output.contains(builtIn) && !app.output.contains("rule timeline"), "\(app)")
        try etc.write("conf.d/10.toml", "[rule.items]\nkeep = \"3y\"\n")
        try etc.write("conf.d/20.toml", "")
        try etc.write("pruned.toml", Self.store + Self.items)
        let both = try state.pruned("check").run().checked()
        #expect(both.output.contains("/etc/pruned/pruned.toml\n"), "\(both)")
        #expect(both.output.contains("item.timestamp over 3y"), "\(both)")
        #expect(!both.output.contains("rule timeline"), "\(both)")
    }

    @Test(
        "in a user's sandbox root's files are read, which seem to be nobody's, but none that others can write to"
    )
    func withoutRoot() throws {
        try etc.write(
            "pruned.toml",
            "[store.reader]\npath = \"shared/reader.sqlite\"\n[rule.only]\ntable = \"item\"\nage_column = \"timestamp\"\nkeep = \"5y\"\n"
        )
        var sandboxed = state
        sandboxed.prefix += ["unshare", "--user", "--map-user=12345", "--map-group=12345"]
        let main = "/etc/pruned/pruned.toml"
        let read = try sandboxed.pruned("check", "--config", main).run()
        #expect(read.output.contains("configuration         ok: \(main)\n"), "\(read)")
        #expect(read.output.contains("rule only"), "\(read)")
        try etc.write("conf.d/10.toml", "", mode: 0o666)
        let refused = try sandboxed.pruned("check", "--config", main).run()
        #expect(refused.status == 78 && refused.errors.contains("can write to it"), "\(refused)")
    }

    @Test(
        "a person without a configuration is told so, and the system's rules are not run on a state of their own"
    )
    func unconfigured() throws {
        try etc.write("pruned.toml", Self.store + Self.items + "keep = \"5y\"\n")
        let home = try state.sandbox.makeDirectory("home")
        try AnotherUser.app.own(home, mode: 0o700)
        func run(_ arguments: [String]) throws -> EndedProgram {
            var program = Program.pruned
            program.arguments = arguments
            program = try AnotherUser.app.program(program, in: state.sandbox)
            program.environment["HOME"] = home
            program.prefix = etc.prefix + program.prefix
            return try program.run(seconds: 20)
        }
        let file = home + "/.config/pruned/pruned.toml"
        for arguments in [["--run-now"], ["plan"], ["check"], ["serve"], ["status"]] {
            let ended = try run(arguments)
            #expect(ended.status == 78, "\(ended)")
            let words = (ended.errors + ended.output).split(whereSeparator: \.isWhitespace).joined(
                separator: " ")
            #expect(words.contains("nothing is pruned for user 4711: there is no"), "\(ended)")
            #expect(words.contains("pruned suggest FILE > \(file)"), "\(ended)")
            #expect(words.contains("sudo pruned status"), "\(ended)")
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: home).isEmpty)
        // Who has the reading app's store has its rules.
        let own = home + "/.local/state/pruned"
        try shell("mkdir -p \(own) && cp \(state.storePath) \(own) && chown -R 4711:4711 \(home)/.local")
        let plan = try run(["plan"])
        #expect(plan.output.contains("timeline"), "\(plan)")
    }

    private func shell(_ command: String) throws {
        try Program(path: "sh", arguments: ["-c", command]).run().checked()
    }

    @Test("a main file that has come is in force after SIGHUP, and once read it must stay")
    func comesAndGoes() throws {
        let service = try Service(on: state)
        try service.waitForFirstRun()
        #expect(service.process.errors.contains("rules feed-cache, items, timeline, read-records, users"))
        try etc.write(
            "pruned.toml",
            "[store.reader]\npath = \"shared/reader.sqlite\"\n[rule.only]\ntable = \"item\"\nage_column = \"timestamp\"\n"
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
