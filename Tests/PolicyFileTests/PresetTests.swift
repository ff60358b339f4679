import Foundation
import Retention
import Testing

@testable import PolicyFile

/// A preset is a layer below the files that name it.
struct PresetTests {
    private static let preset = """
        app = "Newsreader"
        versions = "1 to 3"
        tested_with = "nothing"
        notes = "{prefix} stands here as it is"
        prefix = "np_"
        quiet = true
        skip_while_locked = "app.lock"
        triggers = ["gone"]
        [[schema]]
        versions = "1"
        tables = "table {prefix}item\\n column id number"
        [[schema]]
        versions = "2 to 3"
        tables = "table {prefix}item\\n column at number"
        [rule.items]
        table = "{prefix}item"
        age_column = "at"
        keep = "30d"
        kept_by = "{prefix}mark.item"
        dependents = ["{prefix}word"]
        [rule.marks]
        table = "{prefix}mark"
        expires_column = "until"

        """
    private static let main = "[store.news]\npath = \"/news.db\"\npreset = \"reader\"\n"

    private let directory: ConfigurationDirectory

    init() throws {
        directory = try ConfigurationDirectory(main: Self.main)
        try directory.preset("reader", Self.preset)
    }

    @Test("its rules are rules STORE-RULE on the store, and its keys are the store's")
    func rules() throws {
        let read = try directory.read()
        #expect(read.policy.rules.map(\.name) == ["news-marks", "news-items"])
        #expect(read.policy.rules.map(\.store) == ["news", "news"])
        #expect(read.policy.rules.map(\.isQuiet) == [true, true])
        let store = try #require(read.policy.stores.first)
        #expect(store.preset == "reader" && store.isQuiet && store.reclaim)
        #expect(store.skipWhileLocked == "app.lock")
        #expect(store.gate?.triggers == ["gone"])
        #expect(store.gate?.known.map(\.versions) == ["1", "2 to 3"])
        #expect(read.presetFiles == [directory.path + "/presets/reader.toml"])
        #expect(read.files == [directory.main])
    }

    @Test("what stands in the configuration goes over it, key by key")
    func overridden() throws {
        try directory.write(
            "pruned.toml",
            Self.main + """
                quiet = false
                reclaim = false
                accept_columns = ["item.pinned"]
                [rule.news-items]
                keep = "60d"
                """)
        try directory.dropIn("1.toml", "[rule.news-items]\nkeep_last = 7\n[store.news]\ntriggers = []\n")
        let policy = try directory.read().policy
        let rule = try #require(policy.rule(named: "news-items"))
        #expect(rule.expiry == .age(column: "at", keep: Span(60, .day)))
        #expect(rule.keepLast == 7 && !rule.isQuiet && rule.table == "np_item")
        let store = try #require(policy.stores.first)
        #expect(!store.isQuiet && !store.reclaim)
        #expect(store.gate?.acceptedColumns == ["item.pinned"] && store.gate?.triggers == [])
    }

    @Test(
        "what goes over the rows that it spares is told, unless it spares these, too",
        arguments: [
            ("kept_by = \"np_star.item\"", RuleKey.keptBy),
            ("kept_by = [\"np_mark.item\", \"np_star.item\"]", nil), ("keep = \"60d\"\nkeep_last = 7", nil),
            ("table = \"np_other\"", RuleKey.table),
        ])
    func overrides(text: String, key: RuleKey?) throws {
        try directory.dropIn("1.toml", "[rule.news-items]\n" + text)
        let overrides = try directory.read().presetOverrides["news-items"]
        #expect(overrides?.map(\.key) == (key.map { [$0] } ?? []))
        #expect(overrides?.allSatisfy { $0.remark.contains("1.toml replaces the preset's") } ?? false)
    }

    @Test("two presets whose rules on two stores get one name are refused")
    func sameRule() throws {
        try directory.preset("longer", Self.preset.replacing("[rule.items]", with: "[rule.b-items]"))
        try directory.dropIn(
            "1.toml",
            "[store.x]\npath = \"/x\"\npreset = \"longer\"\n[store.x-b]\npath = \"/b\"\npreset = \"reader\"\n"
        )
        let error = try #require(throws: PolicyFileError.self) { try directory.read() }
        #expect(error.description.contains("has a rule x-b-items, and so has that of store x"), "\(error)")
    }

    @Test("{prefix} stands for its prefix, or for the store's", arguments: [nil, "oc_"])
    func prefix(own: String?) throws {
        try directory.write("pruned.toml", Self.main + (own.map { "prefix = \"\($0)\"\n" } ?? ""))
        let policy = try directory.read().policy
        let prefix = own ?? "np_"
        let rule = try #require(policy.rule(named: "news-items"))
        #expect(rule.table == prefix + "item" && rule.dependents == [prefix + "word"])
        #expect(policy.stores[0].gate?.tables == [prefix + "item"])
    }

    @Test(
        "PostgreSQL finds a prefix as it is written, in names that stand alone and in SQL",
        arguments: [
            ("ada_", "ada_item", "ada_item"), ("Bob.C_", "\"Bob.C_item\"", "Bob.C_item"),
            ("1@x-y_", "\"1@x-y_item\"", "1@x-y_item"),
        ])
    func quotedPrefix(prefix: String, inSQL: String, alone: String) throws {
        try directory.preset(
            "server",
            """
            app = "Newsreader"
            versions = "1"
            tested_with = "nothing"
            url = "postgresql:///news"
            prefix = "np_"
            schema = [{ versions = "1", tables = "table {prefix}item\\n  column id number" }]
            [rule.items]
            table = "{prefix}item"
            age_column = "at"
            keep = "30d"
            protect = ['EXISTS (SELECT FROM {prefix}item i WHERE i.id = {prefix}item.id)', '"{prefix}x" = 1']
            kept_by = ["{prefix}item.id"]
            """)
        try directory.write(
            "pruned.toml",
            "[store.news]\nurl = \"postgresql:///news\"\npreset = \"server\"\nprefix = \"\(prefix)\"\n")
        let policy = try directory.read().policy
        let rule = try #require(policy.rule(named: "news-items"))
        #expect(rule.table == alone && rule.keptBy == [ColumnReference(table: alone, column: "id")])
        #expect(
            rule.protect == [
                "EXISTS (SELECT FROM \(inSQL) i WHERE i.id = \(inSQL).id)", "\"\(prefix)x\" = 1",
            ])
        #expect(policy.stores[0].gate?.tables == [alone])
    }

    @Test("two stores may have one preset, and their rules lie side by side")
    func twoStores() throws {
        try directory.dropIn(
            "1.toml", "[store.old]\npath = \"/old.db\"\npreset = \"reader\"\nprefix = \"x\"\n")
        let read = try directory.read()
        #expect(read.policy.rules.map(\.name) == ["news-marks", "news-items", "old-marks", "old-items"])
        #expect(read.policy.rule(named: "old-items")?.table == "xitem")
        #expect(read.presetFiles.count == 1)
    }

    @Test("alone it makes the same policy as the configuration that names it", arguments: [nil, "oc_"])
    func alone(prefix: String?) throws {
        let main = Self.main + (prefix.map { "prefix = \"\($0)\"\n" } ?? "")
        try directory.write("pruned.toml", main)
        let files = ConfigurationFiles(directory.main)
        let preset = try #require(try files.presets().preset(named: "reader"))
        let policy = try preset.policy(for: "news", at: "/news.db", prefix: prefix, systemTimeZone: .gmt)
        #expect(try policy == directory.read().policy)
    }

    @Test("the first directory that has a preset of the name counts")
    func directories() throws {
        let other = try ConfigurationDirectory()
        try other.preset("reader", Self.preset.replacing("30d", with: "1d"))
        try other.preset("second", Self.preset.replacing("30d", with: "2d"))
        var files = ConfigurationFiles(directory.main)
        files.presetDirectories.append(other.path + "/presets")
        let keep = { () throws -> Expiry? in
            try files.read(systemTimeZone: .gmt).policy.rule(named: "news-items")?.expiry
        }
        #expect(try keep() == .age(column: "at", keep: Span(30, .day)))
        try directory.write("pruned.toml", Self.main.replacing("reader", with: "second"))
        #expect(try keep() == .age(column: "at", keep: Span(2, .day)))
        #expect(try files.presets().names() == ["reader", "second"])
        #expect(try files.presets().preset(named: "reader")?.file == directory.path + "/presets/reader.toml")
    }

    @Test(
        "an error in it names its file",
        arguments: [
            ("app = \"Newsreader\"\n", "", "has no app"),
            ("quiet = true", "quite = true", "quite: unknown key"),
            ("quiet = true", "quiet = 1", "store.news.quiet = 1: must be true or false"),
            ("[rule.items]\n", "[rule.items]\nkep = 1\n", "rule.items.kep: unknown key"),
            ("[rule.items]\n", "[rule.items]\nstore = \"s\"\n", "rule.items.store = \"s\": belongs to"),
            ("keep = \"30d\"", "keep = 30", "rule.news-items.keep = 30: a number needs a unit"),
            ("[rule.items]", "[rule.\"a b\"]", "rule.\"a b\": is not a name"),
            ("[[schema]]\nversions = \"1\"", "[[schema]]\nversion = \"1\"", "schema.1.version: unknown key"),
            ("versions = \"2 to 3\"\n", "", "schema.2: has no versions"),
            (
                "app.lock", "/run/app.lock",
                "store.news.skip_while_locked = \"/run/app.lock\": is not the name"
            ),
            ("np_", "n-p", "prefix = \"n-p\": is not a prefix"),
            ("app = ", "app : ", "line 1, column 5: syntax error"),
        ])
    func errors(text: String, replacement: String, message: String) throws {
        let file = try directory.preset("reader", Self.preset.replacing(text, with: replacement))
        let error = try #require(throws: PolicyFileError.self) { try directory.read() }
        #expect(error.description.hasPrefix("\(file): \(message)"), "\(error)")
    }

    @Test("one without a schema is refused: it would prune any store")
    func withoutSchema() throws {
        let start = try #require(Self.preset.firstRange(of: "[[schema]]")).lowerBound
        let end = try #require(Self.preset.firstRange(of: "[rule.items]")).lowerBound
        try directory.preset("reader", Self.preset.replacingCharacters(in: start..<end, with: ""))
        let error = try #require(throws: PolicyFileError.self) { try directory.read() }
        #expect(error.reason == "has no schema")
    }

    @Test(
        "an error in what uses it names the file that stands in",
        arguments: [
            (main.replacing("reader", with: "raeder"), "store.news.preset = \"raeder\": is not a preset"),
            (main.replacing("reader", with: "../x"), "store.news.preset = \"../x\": is not a preset"),
            (main.replacing("path = \"/news.db\"\n", with: ""), "store.news: has no path and no url"),
            (main + "prefix = \"a b\"", "store.news.prefix = \"a b\": is not a prefix"),
            (main + "[rule.news-itms]\nkeep = \"1d\"", "rule.news-itms: has no table"),
            (main + "[rule.news-items]\ngrace = \"1d\"", "rule.news-items.grace = \"1d\": belongs to"),
            (main + "[rule.news-items]\nstore = \"s\"", "rule.news-items.store = \"s\": is not news, whose"),
            ("[store.s]\npath = \"/s\"\nprefix = \"x\"", "store.s.prefix = \"x\": belongs to a preset"),
            ("[store.s]\npath = \"/s\"\ntriggers = [\"x\"]", "store.s.triggers = […]: belongs to a schema"),
            ("[store.s]\npath = \"/s\"\naccept_columns = [\"x\"]", "store.s.accept_columns = […]: belongs"),
        ])
    func usersErrors(text: String, message: String) throws {
        try directory.write("pruned.toml", text)
        let error = try #require(throws: PolicyFileError.self) { try directory.read() }
        #expect(error.description.hasPrefix("\(directory.main): \(message)"), "\(error)")
    }

    @Test("the nearest name of a misspelt preset, or of its misspelt rule, is asked for")
    func nearest() throws {
        try directory.write("pruned.toml", Self.main.replacing("reader", with: "raeder"))
        let preset = try #require(throws: PolicyFileError.self) { try directory.read() }
        #expect(preset.hint == "did you mean \"reader\"? `pruned presets` lists them")
        try directory.write("pruned.toml", Self.main + "[rule.news-itms]\nkeep = \"1d\"")
        let rule = try #require(throws: PolicyFileError.self) { try directory.read() }
        #expect(rule.hint.contains("did you mean \"news-items\"?"))
    }

    @Test("a prefix for a preset that has none is an error")
    func useless() throws {
        try directory.preset("reader", Self.preset.replacing("prefix = \"np_\"\n", with: ""))
        try directory.write("pruned.toml", Self.main + "prefix = \"x\"\n")
        let error = try #require(throws: PolicyFileError.self) { try directory.read() }
        #expect(error.reason == "is not used by the preset reader")
    }

    @Test("a preset that others can write is refused")
    func trust() throws {
        let file = try directory.preset("reader", Self.preset)
        chmod(file, 0o666)
        let error = try #require(throws: PolicyFileError.self) { try directory.read() }
        #expect(error.description == "\(file): everybody can write to it (mode 0666)")
        chmod(file, 0o644)
        chmod(directory.path + "/presets", 0o777)
        #expect(throws: PolicyFileError.self) { try directory.read() }
        chmod(directory.path + "/presets", 0o755)
    }

    @Test("its identity counts once the user lets rows be archived")
    func identity() throws {
        try directory.preset(
            "reader",
            Self.preset.replacing("[rule.marks]", with: "identity = [\"id\"]\n[rule.marks]").replacing(
                "dependents = [\"{prefix}word\"]\n", with: ""))
        #expect(try directory.read().policy.rule(named: "news-items")?.identity == [])
        try directory.dropIn("1.toml", "[rule.news-items]\narchive = true\n")
        #expect(try directory.read().policy.rule(named: "news-items")?.identity == ["id"])
    }

    @Test("each value says that it comes from the preset, or what stands over it")
    func origins() throws {
        try directory.dropIn("1.toml", "[rule.news-items]\nkeep = \"60d\"\n")
        let settings = try directory.read().settings.map { "\($0.table)|\($0.key)|\($0.origin)" }
        #expect(settings.contains("store.news|path|pruned.toml"))
        #expect(settings.contains("store.news|quiet|presets/reader.toml"))
        #expect(settings.contains("store.news|skip_while_locked|presets/reader.toml"))
        #expect(settings.contains("rule.news-items|table|presets/reader.toml"))
        #expect(settings.contains("rule.news-items|keep|conf.d/1.toml"))
    }

    @Test("a preset that changes is a change of the configuration")
    func change() throws {
        let before = try directory.read()
        let file = try directory.preset("reader", Self.preset.replacing("30d", with: "40d"))
        let change = ConfigurationChange(from: before, to: try directory.read())
        #expect(change.filesExplanation == "changed \(file)")
        #expect(change.tables.map(\.name) == ["rule.news-items"])
        #expect(change.tables.first?.explanation == "keep was \"30d\", is \"40d\"")
    }

    @Test("a policy with a preset is rendered whole, and reads back without the preset's file")
    func rendering() throws {
        try directory.dropIn("1.toml", "[store.news]\naccept_columns = [\"a\", \"b.c\"]\n")
        let policy = try directory.read().policy
        let text = PolicyFile.render(policy, systemTimeZone: .gmt)
        #expect(try Configuration(rendered: text, systemTimeZone: .gmt).policy == policy)
    }

    @Test("a store may have a schema of its own, without a preset")
    func ownSchema() throws {
        try directory.write(
            "pruned.toml",
            file(rule: enough) + "[[store.s.schema]]\nversions = \"mine\"\ntables = \"table t\"\n")
        let gate = try #require(try directory.read().policy.stores.first?.gate)
        #expect(gate.known == [.init(versions: "mine", StoreSchema([.init("t")]))])
        #expect(try directory.read().policy.stores.first?.preset == nil)
    }
}
