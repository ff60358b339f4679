import TestSupport
import Foundation
import Testing

/// `pruned check --config-only`: the configuration alone, where no store is.
@Suite struct ConfigurationOnlyTests {
    private let sandbox: Sandbox

    init() throws { sandbox = try Sandbox() }

    private static let policy = """
        [store.app]
        path = "/srv/nowhere/app.db"
        [rule.log]
        store = "app"
        table = "log"
        age_column = "at"
        keep = "30d"
        """

    private func check(_ text: String, _ options: String...) throws -> EndedProgram {
        var program = Program.pruned
        program.arguments = ["check", "--config-only", "--config", try sandbox.write("pruned.toml", text)]
        program.arguments += ["--state-dir", sandbox.path + "/none"] + options
        return try program.run()
    }

    @Test("a valid configuration is valid where neither its store nor a state directory is, and none is made")
    func valid() throws {
        let ended = try check(Self.policy, "--verbose").checked()
        #expect(
            ended.output.hasSuffix("\n1 store, 1 rule: the configuration is valid; no store was looked at\n"))
        #expect(ended.output.contains("  rule log            ok: log.at over 30d"), "\(ended)")
        #expect(ended.output.contains(/\n  keep +"30d" +pruned.toml\n/), "\(ended)")
        #expect(ended.errors.isEmpty, "\(ended)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: sandbox.path) == ["pruned.toml"])
        // Where there are stores to look at, it is another matter.
        var whole = Program.pruned
        whole.arguments = ["check", "--config", sandbox.path + "/pruned.toml"]
        whole.arguments += ["--state-dir", sandbox.path + "/none"]
        #expect(try whole.run().status == 74)
    }

    @Test(
        "an invalid one exits with 78 and names the error",
        arguments: [
            (ConfigurationOnlyTests.policy.replacing("\"30d\"", with: "30"), "a number needs a unit"),
            (ConfigurationOnlyTests.policy.replacing("keep =", with: "kepe ="), "did you mean \"keep\"?"),
            (
                ConfigurationOnlyTests.policy
                    + "\n[store.twin]\npath = \"/srv/nowhere/./app.db\"", "is the file of store app, too"
            ),
            (
                ConfigurationOnlyTests.onServer + "\n[store.twin]\n" + ConfigurationOnlyTests.place
                    + "\n[rule.twin]\nstore = \"twin\"\ntable = \"public.log\"\nexpires_column = \"until\"",
                "postgresql://ada:***@db/news is the database of store app, too, and both have rules on log"
            ),
            (
                ConfigurationOnlyTests.onServer.replacing("url", with: "path = \"x\"\nurl"),
                "store.app.url = \"postgresql://ada:***@db/news\": cannot be combined with path"
            ),
        ])
    func invalid(text: String, reason: String) throws {
        let ended = try check(text)
        #expect(ended.status == 78 && ended.output.isEmpty, "\(ended)")
        #expect(ended.errors.contains(reason), "\(ended)")
        #expect(!ended.errors.contains("geheim"), "\(ended)")
    }

    private static let place = "url = \"postgresql://ada:geheim@db/news\""
    private static let onServer = policy.replacing("path = \"/srv/nowhere/app.db\"", with: place)

    @Test("a PostgreSQL store is valid where there is no server, and its password is remarked and not shown")
    func database() throws {
        let ended = try check(Self.onServer, "--verbose").checked()
        #expect(
            ended.output.contains(/\n  url +"postgresql:\/\/ada:\*\*\*@db\/news" +pruned.toml\n/), "\(ended)")
        #expect(ended.output.contains(/\n  max_lag +"10s" +default\n/), "\(ended)")
        let words = ended.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(
            words.contains("the url of store app has a password, and everybody can read \(sandbox.path)"),
            "\(ended)")
        #expect(!(ended.output + ended.errors).contains("geheim"), "\(ended)")
    }

    @Test("a file that is missing is refused; with no file at all the built-in policy is valid")
    func missing() throws {
        var program = Program.pruned
        program.arguments = ["check", "--config-only", "--config", sandbox.path + "/none.toml"]
        #expect(try program.run().status == 78)
        program.arguments = ["check", "--config-only"]
        program.environment = ["HOME": sandbox.path]
        let ended = try program.run()
        #expect(ended.status == 0, "\(ended)")
    }

    @Test("a checkout that belongs to somebody else, or to a group, is checked all the same")
    func anybodys() throws {
        let file = try sandbox.write("pruned.toml", Self.policy)
        try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: file)
        var program = Program.pruned
        program.arguments = ["check", "--config", file, "--state-dir", sandbox.path + "/none"]
        let refused = try program.run()
        #expect(refused.status == 78 && refused.errors.contains("everybody can write to it"), "\(refused)")
        program.arguments.append("--config-only")
        #expect(try program.run().status == 0)
    }

    @Test("--problems leaves the summary, a remark stays, and --store chooses")
    func selection() throws {
        let more = "\n[rule.more]\nstore = \"app\"\ntable = \"log\"\nage_column = \"at\"\nkeep = \"9d\""
        let ended = try check(Self.policy + more, "--problems")
        #expect(ended.status == 0 && ended.output.contains("rule more"), "\(ended)")
        #expect(!ended.output.contains("rule log   "), "\(ended)")
        #expect(try check(Self.policy, "--store", "apq").status == 64)
        #expect(try check(Self.policy, "--defaults").status == 64)
    }

    @Test("a drop-in is checked over the others")
    func dropIn() throws {
        let file = try sandbox.write("20.toml", "[rule.log]\nkeep = 3\n")
        let ended = try check(Self.policy, "--drop-in", file)
        #expect(ended.status == 78 && ended.errors.contains("a number needs a unit"), "\(ended)")
    }
}
