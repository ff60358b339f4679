import PolicyFile
import Retention
import Testing

/// Where a setting stands, for errors that show when its rule meets the store.
struct SettingOriginsTests {
    private static let main = """
        # A comment.
        [store.s]
        path = "s.db"

        [rule.r]
        table = "t"
        age_column = "at"
        keep = "30d"
        where = \"\"\"
          read = 1
          AND starred = 0\"\"\"
        action = { set = { gone = 1 } }
        """

    private let directory: ConfigurationDirectory

    init() throws { directory = try ConfigurationDirectory(main: Self.main) }

    /// The place of a setting, below the directory.
    private func place(_ path: String) throws -> String? {
        try directory.read().origins.origin(of: path.split(separator: ".").map(String.init))
            .map { $0.description.replacing(directory.path + "/", with: "") }
    }

    @Test(
        "a value has its file and line, and what is not set those of the table above it",
        arguments: [
            ("rule.r.keep", "pruned.toml: line 8"), ("rule.r.where", "pruned.toml: line 9"),
            ("rule.r.action.set.gone", "pruned.toml: line 12"), ("rule.r.unit", "pruned.toml: line 5"),
            ("store.s.path", "pruned.toml: line 3"), ("rule.r", "pruned.toml: line 5"), ("rule.other", nil),
            ("batch.lock_time", nil),
        ] as [(String, String?)])
    func places(path: String, expected: String?) throws {
        #expect(try place(path) == expected)
    }

    @Test("a later file has the keys that it sets; the rule itself stays where it was first")
    func layers() throws {
        try directory.dropIn("10-more.toml", "[rule.r]\n\nkeep = \"40d\"\nprotect = \"a = 1\"\n")
        #expect(try place("rule.r.keep") == "conf.d/10-more.toml: line 3")
        #expect(try place("rule.r.protect") == "conf.d/10-more.toml: line 4")
        #expect(try place("rule.r.table") == "pruned.toml: line 6")
        #expect(try place("rule.r.unit") == "pruned.toml: line 5")
    }

    @Test("a preset's keys are in its file, also those of a store with a prefix")
    func preset() throws {
        try directory.preset(
            "reader",
            """
            app = "Newsreader"
            versions = "1"
            tested_with = "nothing"
            prefix = "np_"
            triggers = ["gone"]
            [[schema]]
            versions = "1"
            tables = "table {prefix}item"
            [rule.items]
            table = "{prefix}item"
            age_column = "at"
            keep = "30d"
            """)
        try directory.write(
            "pruned.toml",
            """
            [store.news]
            path = "/news.db"
            preset = "reader"
            [rule.news-items]
            keep = "60d"
            """)
        #expect(try place("rule.news-items.table") == "presets/reader.toml: line 10")
        #expect(try place("store.news.triggers") == "presets/reader.toml: line 5")
        #expect(try place("rule.news-items.keep") == "pruned.toml: line 5")
        #expect(try place("rule.news-items.unit") == "pruned.toml: line 4")
        #expect(try place("store.news.preset") == "pruned.toml: line 3")
    }
}
