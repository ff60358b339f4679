import Foundation
import Retention
import Testing

@testable import PolicyFile

/// What a configuration says otherwise than the one before it.
struct ConfigurationChangeTests {
    private static let rule = "table = \"item\"\nage_column = \"timestamp\"\n"
    private static let main = "[store.s]\npath = \"a.sqlite\"\n[rule.items]\n\(rule)keep = \"30d\"\n"

    /// The change from some files to others: their names and what they say.
    private func change(
        from old: KeyValuePairs<String, String>, to new: KeyValuePairs<String, String>
    ) throws -> ConfigurationChange {
        let configuration = { (files: KeyValuePairs<String, String>) in
            try Configuration(
                files.map { SourceText(text: $0.value, file: "/e/\($0.key)", name: $0.key) },
                systemTimeZone: .gmt)
        }
        return try ConfigurationChange(from: configuration(old), to: configuration(new))
    }

    @Test("a file that is gone is named, with the values that were its own")
    func removed() throws {
        let change = try change(
            from: ["p.toml": Self.main, "50.toml": "[rule.items]\nkeep = \"60d\"\n"],
            to: ["p.toml": Self.main])
        #expect(change.filesExplanation == "removed /e/50.toml")
        #expect(change.tables.map(\.name) == ["rule.items"] && change.tables.map(\.rule) == ["items"])
        #expect(change.tables.first?.explanation == "keep was \"60d\", is \"30d\"")
    }

    @Test("files that came and that say something else are named; what says the same is not")
    func added() throws {
        let change = try change(
            from: ["p.toml": Self.main, "a.toml": "", "b.toml": ""],
            to: [
                "p.toml": Self.main, "a.toml": "", "b.toml": "# nothing\n",
                "c.toml": "[rule.\"1.x\"]\n\(Self.rule)keep = \"1y\"\n",
            ])
        #expect(change.filesExplanation == "new /e/c.toml; changed /e/b.toml")
        #expect(change.tables.map(\.name) == ["rule.\"1.x\""] && change.tables.map(\.rule) == ["1.x"])
        #expect(change.tables.first?.explanation == "is new")
    }

    @Test("limits of all rules are told rule by rule, and what is of no rule by its table")
    func shared() throws {
        let change = try change(
            from: ["p.toml": "metrics_file = \"/m.prom\"\n" + Self.main],
            to: ["p.toml": "[guard]\nmax_share = 1\n" + Self.main.replacing("a.sqlite", with: "b.sqlite")])
        let told = Dictionary(uniqueKeysWithValues: change.tables.map { ($0.name, $0.explanation) })
        #expect(told[""] == "metrics_file was \"/m.prom\", is not set anymore")
        #expect(told["rule.items"] == "guard.max_share was 0.5, is 1.0")
        #expect(told["store.s"] == "path was \"a.sqlite\", is \"b.sqlite\"")
        #expect(told.count == 3 && change.tables.filter { $0.rule == nil }.count == 2)
    }

    @Test("the same files are no change, and neither is a rule that another file says")
    func none() throws {
        let same = try change(from: ["p.toml": Self.main], to: ["p.toml": Self.main])
        #expect(same.filesExplanation == nil && same.tables.isEmpty)
        let moved = try change(from: ["p.toml": Self.main], to: ["q.toml": Self.main])
        #expect(moved.filesExplanation == "new /e/q.toml; removed /e/p.toml" && moved.tables.isEmpty)
    }
}
