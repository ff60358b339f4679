import TestSupport
import Foundation
import Testing

/// `pruned suggest`: from a database to a configuration.
@Suite struct SuggestTests {
    private let state: StateDirectory
    private let home: String

    init() throws {
        state = try StateDirectory()
        home = try state.sandbox.makeDirectory("home/app")
    }

    /// An app's database with 3,000 rows an hour apart, the newest of this hour.
    private func database(_ name: String, _ sql: String) throws -> Database {
        let store = Database(path: home + "/" + name)
        try store.query(
            """
            PRAGMA journal_mode = WAL;
            CREATE TEMP VIEW n AS WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 2999)
                SELECT i, CAST(strftime('%s', 'now') AS INTEGER) - 3600 * (2999 - i) - 1800 AS at FROM n;
            \(sql)
            """)
        return store
    }

    private static let items = """
        CREATE TABLE item (id INTEGER PRIMARY KEY, received INTEGER, price INTEGER, is_read INTEGER, starred INTEGER);
        INSERT INTO item SELECT i, at, 1200000000 + i * 100000, i < 2990, i % 100 = 0 FROM n;
        """

    private func suggest(_ path: String, _ options: String...) throws -> EndedProgram {
        var program = state.pruned("suggest", path)
        program.arguments += options
        return try program.run()
    }

    @Test(
        "the way to a first run: what is printed is a file of conf.d with nothing in force; its rule prunes as it says"
    )
    func way() throws {
        let store = try database("app.db", Self.items)
        let ended = try suggest(store.path).checked()
        #expect(ended.errors.isEmpty, "\(ended)")
        #expect(ended.output.split(separator: "\n").allSatisfy { $0.hasPrefix("#") }, "\(ended)")
        _ = try state.sandbox.makeDirectory("conf.d")
        try state.sandbox.write("conf.d/20-mine.toml", ended.output)
        let main = try state.configuration(
            "[store.reader]\npath = \"shared/reader.sqlite\"\n[rule.items]\nstore = \"reader\"\ntable = \"item\"\n"
                + "age_column = \"timestamp\"\nkeep = \"183d\"\n")
        try state.sample(records: 100)
        let unchanged = try state.pruned("check", "--config", main).run().checked()
        #expect(unchanged.output.hasSuffix("\n1 store, 1 rule: all ok\n"), "\(unchanged)")
        let text = SuggestedText(ended.output).inForce
        let shorter = text.replacing(#/\nkeep .*\n/#, with: "\n").replacing(
            #/\n# keep +(= "30d".*)/#, with: { "\nkeep \($0.output.1)" })
        try state.sandbox.write("conf.d/20-mine.toml", shorter)
        let check = try state.pruned("check", "--config", main).run().checked()
        #expect(check.output.hasSuffix("\n2 stores, 2 rules: all ok\n"), "\(check)")
        let count = try #require(
            ended.output.firstMatch(of: #/"30d" +# ([0-9,]+) rows would go, once you confirm it/#))
        let said = count.output.1
        // Most of it goes with the first run, so it is held until a person confirms it.
        #expect(try state.pruned("--run-now", "--config", main).run().status == 3)
        let run = try state.pruned("--run-now", "--json", "--config", main, "--confirm", "app-item").run()
            .checked()
        #expect(try run.report()["app-item"]?.deleted == Int(said.replacing(",", with: "")), "\(said)")
    }

    @Test("a table has its rows, growth and bytes, its times, its flags with counts, and what plan says")
    func facts() throws {
        let output = try suggest(database("app.db", Self.items).path).checked().output
        #expect(output.contains("# [store.app]\n# path = \"\(home)/app.db\"\n"), "\(output)")
        #expect(
            output.contains(#/\n# Table item: 3,000 rows, about [23][0-9] a day, about [0-9.]+ kB\n/#),
            "\(output)")
        #expect(output.contains(#/\n#   received +20[0-9-]+ to 20[0-9-]+, seconds\n/#), "\(output)")
        #expect(output.contains(#/\n#   is_read +1 in 2,990 rows, 0 in 10\n/#), "\(output)")
        #expect(output.contains(#/\n#   starred +0 in 2,970 rows, 1 in 30\n/#), "\(output)")
        #expect(output.contains("\n# age_column = \"received\"\n"), "\(output)")
        #expect(output.contains(#/\n# keep +  = "1y" +# 0 rows would go\n/#), "\(output)")
        #expect(
            output.contains(#/\n# # keep += "90d" +# [0-9]+ rows would go\n/#), "\(output)")
        #expect(!output.contains("where") && !output.contains("protect"), "\(output)")
    }

    @Test("a table is shown whatever its name, and so is a time that is not read")
    func anyName() throws {
        let tables = ["states", "hook_task", "statuses", "gps_track", "settings", "news"]
        let store = try database(
            "app.db",
            tables.map {
                "CREATE TABLE \($0) (id INTEGER PRIMARY KEY, at INTEGER);"
                    + " INSERT INTO \($0) SELECT i + 1, at FROM n;"
            }.joined() + """
                CREATE TABLE posts (id INTEGER PRIMARY KEY, t TEXT);
                INSERT INTO posts SELECT i + 1, strftime('%d.%m.%Y %H:%M', at, 'unixepoch') FROM n;
                """)
        let output = try suggest(store.path).checked().output
        for table in tables {
            #expect(output.contains("\n# [rule.app-\(table)]\n"), "\(output)")
            #expect(output.components(separatedBy: "\n# Table \(table): ").count == 2, "\(output)")
        }
        #expect(!output.contains("kept_by") && !output.contains("protect"), "\(output)")
        let words = output.split { $0 == "\n" || $0 == " " || $0 == "#" }.joined(separator: " ")
        #expect(
            words.contains("posts: t: looks like dates as text in the order of a country")
                && words.contains(
                    "which pruned does not read"),
            "\(output)")
    }

    @Test("in Core Data a transaction does not go without its changes, and the preset is named")
    func coreData() throws {
        let store = try database(
            "app.db",
            """
            CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR);
            CREATE TABLE ATRANSACTION (Z_PK INTEGER PRIMARY KEY, ZTIMESTAMP FLOAT);
            CREATE TABLE ACHANGE (Z_PK INTEGER PRIMARY KEY, ZTRANSACTIONID INTEGER);
            CREATE INDEX c ON ACHANGE (ZTRANSACTIONID);
            INSERT INTO ATRANSACTION SELECT i + 1, at - 978307200 + 0.5 FROM n;
            INSERT INTO ACHANGE SELECT i * 2 + 1, i + 1 FROM n UNION ALL SELECT i * 2 + 2, i + 1 FROM n;
            """)
        let output = try suggest(store.path).checked().output
        #expect(output.contains("`pruned presets core-data`"), "\(output)")
        #expect(output.contains(#/\n# kept_by +  *= \["ACHANGE.ZTRANSACTIONID"\]\n/#), "\(output)")
        #expect(output.contains(#/"30d" +# 0 rows would go, about [0-9,]+ older ones\n?/#), "\(output)")
    }

    @Test("it changes nothing, leaves nothing beside the database, and the app writes meanwhile")
    func traces() throws {
        let store = try database("app.db", Self.items)
        let before = FileTree(home)
        try suggest(store.path).checked()
        #expect(FileTree(home) == before)
        #expect(!FileManager.default.fileExists(atPath: state.path))
        let app = try store.program.start(feeds: true)
        try app.feed("BEGIN IMMEDIATE;\nINSERT INTO item (received) VALUES (1);\n.print begun\n")
        try eventually("the app writes") { app.output.contains("begun") }
        try suggest(store.path).checked()
        try app.feed("COMMIT;\n.quit\n")
        #expect(try app.wait().status == 0)
    }

    @Test("a store that a preset fits gets the preset")
    func preset() throws {
        let news = try PresetStore()
        var program = news.state.pruned("suggest", news.store.path, "--config", news.file)
        let ended = try program.run().checked()
        #expect(ended.output.contains("a store of Newsreader (2 to 3)"), "\(ended)")
        #expect(ended.output.contains(#/\npreset = "reader" /#), "\(ended)")
        #expect(ended.output.contains("# Starred items stay.\n"), "\(ended)")
        #expect(ended.output.contains("[rule.news-items]\nkeep = \"30d\""), "\(ended)")
        #expect(ended.output.contains("a run would delete 1 row of item now"), "\(ended)")
        let file = try news.state.sandbox.write("suggested.toml", ended.output)
        try news.state.pruned("check", "--config", file).run().checked()

        try news.store.query("ALTER TABLE item ADD COLUMN pinned INTEGER")
        program.arguments[1] = news.store.path
        let next = try program.run()
        #expect(next.status == 1 && next.output.isEmpty, "\(next)")
        #expect(
            next.errors.contains("has the tables of Newsreader, but its schema is not that of"), "\(next)")
        #expect(next.errors.contains("unknown column pinned"), "\(next)")
    }

    @Test("a table that is called as one of an app's is not that app's, and the likeness is a remark")
    func likeness() throws {
        let news = try PresetStore()
        try news.store.query(
            "DROP TABLE item; CREATE TABLE item (id INTEGER PRIMARY KEY, at, \((0..<9).map { "c\($0)" }.joined(separator: ", ")));"
                + " INSERT INTO item (at) WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 2999)"
                + " SELECT unixepoch() - i * 3600 FROM n")
        let preset = PresetStore.preset.replacing(
            "  column starred number\n",
            with: (["starred"] + (0..<9).map { "o\($0)" }).map { "  column \($0) number\n" }.joined())
        try news.state.sandbox.write("presets/reader.toml", preset)
        let ended = try news.pruned("suggest", news.store.path)
        #expect(!ended.output.contains("preset = "), "\(ended)")
        let words = ended.output.split { $0 == "\n" || $0 == " " || $0 == "#" }.joined(separator: " ")
        #expect(
            words.contains("Newsreader has tables of these names, too, but with other columns: item, word"),
            "\(ended)")
    }

    @Test("root reads a file as its owner, also in a directory of the app's", .root)
    func asOwner() throws {
        let store = try database("app.db", Self.items)
        for path in [store.path, home] { try AnotherUser.app.own(path, mode: 0o750) }
        chmod(state.sandbox.path, 0o711)
        let ended = try suggest(store.path)
        #expect(ended.output.contains("[store.app]"), "\(ended)")
        let left = FileTree(home).entries.filter { $0.value.owner != AnotherUser.app.user }
        #expect(left.isEmpty, "\(left)")
        // What only root may read is not shown to the one who owns the way to it.
        chmod(home, 0o700)
        try AnotherUser.stranger.own(home, mode: 0o700)
        let refused = try suggest(store.path)
        #expect(refused.status != 0 && refused.output.isEmpty, "\(refused)")
    }

    @Test("a rule that the store would refuse is not printed, but the reason is")
    func refused() throws {
        let store = try database(
            "app.db",
            Self.items + """
                CREATE TABLE note (item INTEGER REFERENCES item(id) ON DELETE CASCADE);
                CREATE TABLE gone (id INTEGER);
                CREATE TRIGGER told AFTER DELETE ON item BEGIN INSERT INTO gone VALUES (old.id); END;
                CREATE TABLE log (id INTEGER PRIMARY KEY, logged_at TEXT);
                INSERT INTO log SELECT i, datetime(at, 'unixepoch') FROM n;
                """)
        let ended = try suggest(store.path).checked()
        #expect(ended.output.contains("# No rule, for it would be refused: "), "\(ended)")
        #expect(!ended.output.contains("[rule.app-item]"), "\(ended)")
        #expect(ended.output.contains(#/\n# unit +  = "iso8601"\n/#), "\(ended)")
        let file = try state.configuration(SuggestedText(ended.output).inForce)
        let check = try state.pruned("check", "--config", file).run().checked()
        #expect(check.output.hasSuffix("\n1 store, 1 rule: all ok\n"), "\(check)")
    }

    @Test("tables by another key, without a rowid, with odd names, and what hangs on them")
    func tables() throws {
        let store = try database(
            "app.db",
            """
            CREATE TABLE session (token TEXT PRIMARY KEY, expires INTEGER NOT NULL) WITHOUT ROWID;
            INSERT INTO session SELECT hex(randomblob(16)), at + 3456000 FROM n;
            CREATE TABLE "odd ""name"" [x]
            # [rule.evil]" (id INTEGER PRIMARY KEY, "last seen" INTEGER);
            INSERT INTO "odd ""name"" [x]
            # [rule.evil]" SELECT i, at * 1000 FROM n;
            CREATE TABLE empty (id INTEGER PRIMARY KEY, at INTEGER);
            CREATE TABLE entry (id INTEGER PRIMARY KEY, created_at INTEGER);
            CREATE TABLE label (entry INTEGER NOT NULL REFERENCES entry (id) ON DELETE CASCADE, name TEXT);
            CREATE INDEX label_entry ON label (entry);
            CREATE TABLE enclosure (entry INTEGER NOT NULL REFERENCES entry (id) ON DELETE CASCADE, url TEXT);
            CREATE INDEX enclosure_entry ON enclosure (entry);
            CREATE TABLE "Select" (e INTEGER);
            CREATE TABLE read_state (e INTEGER PRIMARY KEY, done INTEGER);
            INSERT INTO entry SELECT i * 3, at FROM n;
            INSERT INTO label SELECT id, 'x' FROM entry WHERE id % 30 = 0;
            INSERT INTO enclosure SELECT id, 'u' FROM entry;
            INSERT INTO "Select" SELECT id FROM entry WHERE id % 21 = 0;
            INSERT INTO read_state SELECT id, 1 FROM entry WHERE id % 2;
            """)
        let ended = try suggest(store.path).checked()
        let output = ended.output
        #expect(output.contains(#/\n# expires_column = "expires" /#), "\(ended)")
        #expect(output.contains(#/\n# dependents = \["enclosure"\]\n/#), "\(ended)")
        #expect(output.contains(#/\n# kept_by +  *= \["Select.e", "label.entry"\]\n/#), "\(ended)")
        #expect(
            output.contains("EXISTS (SELECT 1 FROM read_state WHERE read_state.e = entry.id)"), "\(ended)")
        #expect(output.contains(#/#   Select.e +has the keys of some rows, by its values\n/#), "\(ended)")
        #expect(output.contains(#/#   read_state.e +has the key of some rows, by its values\n/#), "\(ended)")
        #expect(output.contains(#/rows: .*empty/#), "\(ended)")
        let file = try state.configuration(SuggestedText(output).inForce)
        let check = try state.pruned("check", "--config", file).run().checked()
        #expect(check.output.hasSuffix("\n1 store, 3 rules: all ok\n"), "\(check)")
    }

    @Test("the store is called after its file, or its directory, and not as one that there is")
    func names() throws {
        let cache = try database("cache.db", Self.items)
        #expect(try suggest(cache.path).checked().output.contains("\n# [store.app]\n"))
        let file = try state.configuration(
            "[store.app]\npath = \"/srv/other.db\"\n[rule.app-2-item]\ntable = \"t\"\nage_column = \"a\"\nkeep = \"1d\"\n"
        )
        let ended = try suggest(cache.path, "--config", file).checked()
        #expect(ended.output.contains("\n# [store.app-2]\n"), "\(ended)")
        _ = try state.sandbox.makeDirectory("home/app/data")
        let data = try database("data/database.db", Self.items)
        #expect(try suggest(data.path).checked().output.contains("\n# [store.app]\n"))
        #expect(ended.output.contains("\n# [rule.app-2-item-2]\n"), "\(ended)")
    }

    @Test(
        "what is no database, no file, or has few rows is said in one line",
        arguments: [
            ("text", 65), ("empty", 1), ("new", 1), ("small", 1), ("none", 74), ("directory", 74),
        ])
    func nothing(kind: String, status: Int32) throws {
        let path = home + "/" + kind
        switch kind {
        case "text": try Data(repeating: 0x41, count: 10_000).write(to: URL(filePath: path))
        case "new": try Data().write(to: URL(filePath: path))
        case "empty": try Database(path: path).query("CREATE TABLE t (a); DROP TABLE t")
        case "small": try Database(path: path).query("CREATE TABLE t (at INTEGER); INSERT INTO t VALUES (1)")
        case "directory":
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        default: break
        }
        let ended = try suggest(path)
        #expect(ended.status == status && ended.output.isEmpty, "\(ended)")
        #expect(ended.errors.split(separator: "\n").filter { !$0.hasPrefix(" ") }.count == 1, "\(ended)")
        #expect(ended.errors.contains(path), "\(ended)")
        let said = [
            "new": "is an empty file", "empty": "it has no tables", "small": "fewer than 20 rows",
        ]
        #expect(ended.errors.contains(said[kind] ?? path), "\(ended)")
    }

    @Test("the default store has its rules already")
    func defaultStore() throws {
        try state.sample(records: 2_000)
        let ended = try suggest(state.storePath)
        #expect(ended.status == 1 && ended.output.isEmpty, "\(ended)")
        #expect(ended.errors.contains("is a store of the reading app") && ended.errors.contains("--defaults"))
    }

    @Test("a link is followed, and a relative path is made absolute")
    func links() throws {
        let store = try database("app.db", Self.items)
        let link = state.sandbox.path + "/link.db"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: store.path)
        #expect(try suggest(link).checked().output.contains("path = \"\(store.path)\""))
        #expect(try state.pruned("suggest").run().status == 64)
        #expect(try suggest("").status == 64)
    }
}
