import Foundation
import Retention
import Testing

@testable import PolicyFile

/// A password in a configuration is shown nowhere.
struct PasswordTests {
    private static let rule = "[rule.r]\ntable = \"entries\"\n" + enough + "\n"

    private static func text(_ password: String, more: String = "") -> String {
        "[store.s]\nurl = \"postgresql://ada:\(password)@db/news\"\n\(more)\n" + rule
    }

    @Test("the listing and the rendered policy have the text without it")
    func shown() throws {
        let read = try Configuration(Self.text("geheim"), file: "f", systemTimeZone: .gmt)
        #expect(
            read.settings.first { $0.key == "url" }?.value == "\"postgresql://ada:***@db/news\"")
        let rendered = PolicyFile.render(read.policy, systemTimeZone: .gmt)
        #expect(rendered.contains("url     = \"postgresql://ada:***@db/news\""))
        for shown in [rendered, "\(read.settings)", "\(read.policy)", String(reflecting: read.policy)] {
            #expect(!shown.contains("geheim"))
        }
    }

    @Test("a rendered policy is not another one only because it lacks passwords")
    func comparison() throws {
        let policy = try parse(Self.text("geheim"))
        let inForce = try Configuration(
            rendered: PolicyFile.render(policy, systemTimeZone: .gmt), systemTimeZone: .gmt)
        #expect(inForce.policy != policy)
        #expect(inForce.policy.withoutSecrets == policy.withoutSecrets)
        let elsewhere = try parse(Self.text("geheim").replacing("@db/", with: "@other/"))
        #expect(elsewhere.withoutSecrets != policy.withoutSecrets)
        let known = inForce.policy.knowingSecrets(of: policy)
        #expect(known == policy, "its stores are opened with the passwords that the files have")
        #expect(inForce.policy.knowingSecrets(of: elsewhere) == inForce.policy)
    }

    @Test("another password is a change of the file, without the passwords")
    func change() throws {
        let directory = try ConfigurationDirectory(main: Self.text("geheim"))
        let before = try directory.read()
        try directory.write("pruned.toml", Self.text("geheimer"))
        let change = ConfigurationChange(from: before, to: try directory.read())
        #expect(change.rewritten == [directory.main])
        #expect(change.tables.isEmpty)
        try directory.write("pruned.toml", Self.text("geheim").replacing("@db/", with: "@other/"))
        let other = ConfigurationChange(from: before, to: try directory.read())
        #expect(
            other.tables.map(\.explanation) == [
                "url was \"postgresql://ada:***@db/news\", is \"postgresql://ada:***@other/news\""
            ])
    }

    @Test(
        "no error shows it, wherever it stands",
        arguments: [
            text("geheim", more: "path = \"s\""), text("geheim", more: "max_lag = 1"), text("ge@heim"),
            text("ge/heim"), text("geheim%zz"), text("geheim", more: "skip_while_locked = \"x\""),
            text("geheim", more: "url = \"postgresql://ada:geheim@other\""),
            text("geheim").replacing("url", with: "ulr"), text("geheim").replacing("url", with: "path"),
            text("geheim").replacing("url", with: "preset"), text("geheim").replacing("url", with: "max_lag"),
            text("geheim").replacing("url", with: "quiet"),
            text("geheim").replacing("\"postgresql", with: "postgresql"),
            text("geheim").replacing("news\"", with: "news"),
            text("geheim").replacing("postgresql://ada:geheim@db", with: "host=h password='geheim"),
            "[store.s]\nurl = [\"postgresql://ada:geheim@db\"]\n" + rule,
            "[store.s]\nurl = { text = \"postgresql://ada:geheim@db\" }\n" + rule,
            "[store]\ns = \"postgresql://ada:geheim@db\"\n" + rule,
            "[store.s]\nurl = \"ada geheim\"\n" + rule,
        ])
    func errors(text: String) throws {
        let error = try error(in: text)
        #expect(!"\(error) \(error.hint) \(String(reflecting: error))".contains("heim"))
    }
}
