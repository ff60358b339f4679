import Foundation
import PolicyFile
import Retention
import Testing

/// The files of `conf.d`, each over those before it.
struct DropInTests {
    @Test("a file in conf.d changes one key of one rule, and leaves all else as it was")
    func oneKey() throws {
        let directory = try ConfigurationDirectory()
        try directory.dropIn("10-longer.toml", "[rule.r]\nkeep = \"60d\"\n")
        let expected = try parse(file(rule: "age_column = \"at\"\nkeep = \"60d\""))
        #expect(try directory.read().policy == expected)
    }

    @Test("of several files the last has its way, in the order of their names' bytes")
    func order() throws {
        let directory = try ConfigurationDirectory()
        for (name, days) in [("9.toml", 9), ("10.toml", 10), ("b.toml", 11), ("Z.toml", 12)] {
            try directory.dropIn(name, "[rule.r]\nkeep = \"\(days)d\"\n")
        }
        #expect(try directory.read().policy.rules.first?.expiry == .age(column: "at", keep: Span(11, .day)))
        #expect(
            try directory.read().files.map { ($0 as NSString).lastPathComponent }
                == ["pruned.toml", "10.toml", "9.toml", "Z.toml", "b.toml"])
    }

    @Test("rules and stores of conf.d stand beside those of the main file")
    func additions() throws {
        let directory = try ConfigurationDirectory(main: file(rule: "store = \"s\"\n" + enough))
        try directory.dropIn(
            "app.toml",
            "[store.app]\npath = \"/srv/app.sqlite\"\n[rule.a]\nstore = \"app\"\ntable = \"a\"\n\(enough)")
        let policy = try directory.read().policy
        #expect(policy.stores.map(\.name) == ["app", "s"])
        #expect(policy.rules.map(\.name) == ["a", "r"])
    }

    @Test("tables are merged key by key at every depth, and arrays are replaced")
    func depth() throws {
        let rule = enough + "\ndependents = [\"b\", \"c\"]\nguard = { max_share = 0.9, min_rows = 5 }"
        let directory = try ConfigurationDirectory(main: file(rule: rule))
        try directory.dropIn("1.toml", "[rule.r]\nguard = { min_rows = 7 }\ndependents = [\"d\"]\n")
        let merged = try #require(try directory.read().policy.rules.first)
        #expect(merged.holdLimits == HoldLimits(maxShare: 0.9, minRows: 7))
        #expect(merged.dependents == ["d"])
    }

    @Test(
        "a file whose rule is named much like another, and has no table, is asked whether it means that one")
    func mistypedRule() throws {
        let directory = try ConfigurationDirectory(main: nil)
        for (name, meant) in [("itms", "items"), ("timelien", "timeline")] {
            try directory.dropIn("1.toml", "[rule.\(name)]\nkeep = \"1y\"\n")
            let error = try #require(throws: PolicyFileError.self) { try directory.read() }
            #expect(error.description.contains("rule.\(name): has no table"))
            #expect(error.hint.contains("did you mean \"\(meant)\"?") && error.hint.contains("table = "))
        }
        try directory.dropIn("1.toml", "[rule.other]\nkeep = \"1y\"\n")
        let error = try #require(throws: PolicyFileError.self) { try directory.read() }
        #expect(error.hint.hasPrefix("name the table"))
    }

    @Test("without a main file conf.d lies over the built-in policy")
    func overBuiltIn() throws {
        let directory = try ConfigurationDirectory(main: nil)
        let builtIn = try RetentionPolicy.builtIn(timeZone: .gmt)
        #expect(try directory.read().policy == builtIn)
        #expect(try directory.read().files.isEmpty)
        let file = try directory.dropIn("1.toml", "[rule.items]\nkeep = \"1y\"\n")
        let read = try directory.read()
        #expect(read.files == [file])
        #expect(read.policy.stores == builtIn.stores)
        for rule in builtIn.rules {
            var expected = rule
            if rule.name == "items" { expected.expiry = .age(column: "timestamp", keep: Span(1, .year)) }
            #expect(read.policy.rule(named: rule.name) == expected)
        }
    }

    @Test(
        "hidden files and the copies that editors and packages leave are not read",
        arguments: [
            ".hidden.toml", "1.toml~", ".#1.toml", "#1.toml#", "1.toml.dpkg-old", "1.toml.dpkg-dist",
            "1.toml.swp",
            "README", "toml",
        ])
    func ignored(name: String) throws {
        let directory = try ConfigurationDirectory()
        try directory.dropIn(name, "this is no configuration")
        #expect(try directory.read().files == [directory.main])
    }

    @Test(
        "an error names the file that the bad value stands in",
        arguments: [
            ("[rule.r]\nkeep = 60", "rule.r.keep = 60: a number needs a unit"),
            ("[rule.r]\nkep = \"60d\"", "rule.r.kep: unknown key"),
            ("[rule.q]\nkeep = \"60d\"", "rule.q: has no table"),
            ("[rule.r]\nkeep = \"60d", "line 2, column 8: syntax error: the closing quote is missing"),
            ("rule = 1", "rule = 1: must be a table of tables, not an integer"),
            ("[rule.r]\nguard = 1", "rule.r.guard = 1: must be a table, not an integer"),
            ("[rule.\"a b\"]\nkeep = \"60d\"", "rule.\"a b\": is not a name"),
            ("[rule.archive]\ntable = \"t\"\n\(enough)", "the name archive is taken by the archive"),
            (
                "[rule.r]\nexpires_column = \"e\"",
                "rule.r.expires_column = \"e\": cannot be combined with age_column (age_column stands in pruned.toml)"
            ),
        ])
    func errors(text: String, message: String) throws {
        let directory = try ConfigurationDirectory()
        try directory.dropIn("10-good.toml", "[batch]\nlock_time = \"5ms\"\n")
        let file = try directory.dropIn("20-bad.toml", text)
        let error = try #require(throws: PolicyFileError.self) { try directory.read() }
        #expect(error.description == "\(file): \(message)")
    }

    @Test("where a key of conf.d makes one of the main file impossible, both files are named")
    func conflict() throws {
        let directory = try ConfigurationDirectory(main: file(rule: enough + "\nsource_window = \"14d\""))
        try directory.dropIn("1.toml", "[rule.r]\nkeep = \"10d\"\n")
        let error = try #require(throws: PolicyFileError.self) { try directory.read() }
        #expect(error.file == directory.main)
        #expect(
            error.reason.contains("keep = \"10d\"")
                && error.reason.hasSuffix("(keep stands in conf.d/1.toml)"))
    }

    @Test("what stands in the place of a file or of the directory, and is none, is refused")
    func irregular() throws {
        let directory = try ConfigurationDirectory()
        try directory.write("conf.d", "")
        let error = try #require(throws: PolicyFileError.self) { try directory.read() }
        #expect(error.description == "\(directory.dropIns): is not a directory")
        unlink(directory.dropIns)
        try directory.dropIn("1.toml", "")
        symlink("nowhere", directory.dropIns + "/2.toml")
        let broken = try #require(throws: PolicyFileError.self) { try directory.read() }
        #expect(broken.file == directory.dropIns + "/2.toml")
        #expect(broken.reason == "cannot be read: No such file or directory")
    }

    @Test("the metrics file may be named anywhere, and none is the default")
    func metricsFile() throws {
        let directory = try ConfigurationDirectory(main: nil)
        #expect(try directory.read().metricsFile == nil)
        try directory.dropIn("1.toml", "metrics_file = \"/a/b.prom\"\n")
        #expect(try directory.read().metricsFile == "/a/b.prom")
        #expect(
            try directory.read().settings.contains {
                $0.key == "metrics_file" && $0.origin == "conf.d/1.toml"
            })
    }

    @Test("every value in force says which file it comes from")
    func origins() throws {
        let rule = enough + "\narchive = true\nguard = { max_share = 0.9 }"
        let directory = try ConfigurationDirectory(main: file(rule: rule) + "[guard]\nmin_rows = 10\n")
        try directory.dropIn("1.toml", "[rule.r]\nkeep = \"60d\"\narchive = false\n")
        let settings = try directory.read().settings.map {
            "\($0.table)|\($0.key) = \($0.value)|\($0.origin)"
        }
        #expect(
            settings == [
                "|time_zone = \"GMT\"|default",
                "batch|lock_time = \"10ms\"|default",
                "batch|workers = 8|default",
                "archive|max_size = \"1GB\"|default",
                "store.s|path = \"s.sqlite\"|pruned.toml",
                "store.s|reclaim = true|default",
                "rule.r|store = \"s\"|default",
                "rule.r|table = \"t\"|pruned.toml",
                "rule.r|age_column = \"at\"|pruned.toml",
                "rule.r|unit = \"s\"|default",
                "rule.r|keep = \"60d\"|conf.d/1.toml",
                "rule.r|every = \"1d\"|default",
                "rule.r|archive = false|conf.d/1.toml",
                "rule.r|guard.max_share = 0.9|pruned.toml",
                "rule.r|guard.min_rows = 10|pruned.toml",
            ])
    }
}
