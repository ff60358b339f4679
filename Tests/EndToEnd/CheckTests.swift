import TestSupport
import Foundation
import Testing

/// `pruned check` of a policy with more than one store.
@Suite struct CheckTests {
    private let state: StateDirectory
    private let file: String

    /// Three stores: the one of the state directory, with two rules on one table; one whose rule names no table of it; one
    /// that is not there.
    init() throws {
        state = try StateDirectory.sampled(records: 100)
        try Program(path: "cp", arguments: [state.storePath, state.path + "/wrong.sqlite"]).run().checked()
        let rules = [
            ("gone-a", "gone", "item"), ("gone-b", "gone", "tweet"), ("reader-a", "reader", "item"),
            ("wrong-a", "wrong", "itm"),
        ].map { name, store, table in
            "[rule.\(name)]\nstore = \"\(store)\"\ntable = \"\(table)\"\n"
                + "age_column = \"timestamp\"\nkeep = \"30d\"\n"
        }
        let stores = ["gone", "reader", "wrong"].map { "[store.\($0)]\npath = \"\($0).sqlite\"\n" }
        file = try state.configuration((stores + rules).joined())
    }

    private func check(_ options: String...) throws -> EndedProgram {
        var program = state.pruned("check", "--config", file)
        program.arguments += options
        return try program.run()
    }

    private func lines(_ ended: EndedProgram) -> [String] {
        ended.output.split(separator: "\n").map(String.init)
    }

    @Test("the last line says how much is wrong of how much")
    func summary() throws {
        let ended = try check()
        let summary = "3 stores, 4 rules: 1 store MISSING, 1 rule WRONG, 2 rules not checked"
        #expect(lines(ended).last == summary, "\(ended)")
        let builtIn = try state.pruned("check").run().checked()
        #expect(lines(builtIn).last == "1 store, 5 rules: all ok", "\(builtIn)")
    }

    @Test("a column without any time is remarked, with the column that has times, and so are times far ahead")
    func times() throws {
        let file = try state.configuration(
            """
            store.app.path = "app.sqlite"
            [rule.moved]
            table = "statistics"
            age_column = "created"
            unit = "iso8601"
            keep = "100d"
            [rule.ahead]
            table = "hfs"
            age_column = "updated_at"
            keep = "100d"
            [rule.hooks]
            table = "hook"
            age_column = "delivered"
            unit = "ns"
            keep = "7d"
            where = "is_delivered = 1"
            guard = { max_share = 1 }
            """)
        let app = Database(path: state.path + "/app.sqlite")
        try app.query(
            """
            CREATE TABLE n AS
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 900) SELECT i FROM n;
            CREATE TABLE statistics (id INTEGER PRIMARY KEY, created DATETIME, created_ts FLOAT);
            INSERT INTO statistics SELECT i, NULL, unixepoch() - i * 3600.5 FROM n;
            CREATE TABLE hfs (id INTEGER PRIMARY KEY, updated_at INTEGER);
            INSERT INTO hfs SELECT i, unixepoch() - i * 36000 + 2082844800 FROM n;
            CREATE TABLE hook (id INTEGER PRIMARY KEY, is_delivered INTEGER, delivered INTEGER);
            INSERT INTO hook SELECT i, i % 100 <> 0,
                CASE i % 100 WHEN 0 THEN 0 ELSE (unixepoch() - i * 8640) * 1000000000 END FROM n;
            """)
        let ended = try state.pruned("check", "--config", file).run().checked()
        let output = ended.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(
            output.contains(
                "none of 900 rows has a time in statistics.created; by their values, times are in created_ts"),
            "\(ended)")
        #expect(
            output.contains("they look like seconds since 1904, which pruned does not read"), "\(ended)")
        // What its line says of the rule, and no remark below it.
        #expect(output.components(separatedBy: "hook.delivered").count == 2, "\(ended)")
        #expect(output.contains("where is_delivered = 1, every 1d rule moved"), "\(ended)")
        let run = try state.pruned("--run-now", "--config", file).run().checked()
        // Those without a time are not delivered yet, and so stay without a remark.
        #expect(run.output.contains("moved: 900 rows stay: they have no time"), "\(run)")
        #expect(try app.query("SELECT count(*) FROM hook WHERE delivered = 0") == "9")
        #expect(!run.output.contains("hooks: "), "\(run)")
    }

    @Test("a store that is missing says what to do, and of its rules nothing is known")
    func missing() throws {
        let ended = try check()
        #expect(ended.status == 74, "\(ended)")
        let path = state.path + "/gone.sqlite"
        #expect(lines(ended).contains("store gone            MISSING: \(path)"), "\(ended)")
        let error =
            "pruned: cannot open the store in \(path): there is no such file\n        its app creates it"
        #expect(ended.errors.contains(error), "\(ended)")
        for rule in ["a", "b"] {
            #expect(ended.output.contains("  rule gone-\(rule)         not checked: "), "\(ended)")
        }
        #expect(try check("--store", "gone").status == 74)
    }

    @Test("a store that is damaged is said once, and its rules are not checked")
    func damaged() throws {
        try Data(repeating: 7, count: 8_192).write(to: URL(filePath: state.storePath))
        let ended = try check("--store", "reader")
        #expect(ended.status == 65 && ended.errors.split(separator: "\n").count <= 2, "\(ended)")
        #expect(ended.output.contains("  rule reader-a       not checked: "), "\(ended)")
    }

    @Test(
        "a store whose app has no write-ahead log is remarked, unless it is quiet already",
        arguments: [true, false])
    func journalMode(isQuiet: Bool) throws {
        let store = Database(path: state.sandbox.path + "/app.sqlite")
        try store.query("PRAGMA journal_mode = DELETE; CREATE TABLE item (at INTEGER)")
        let file = try state.configuration(
            """
            store.app = { path = "\(store.path)", quiet = \(isQuiet) }
            rule.items = { table = "item", age_column = "at", keep = "1d" }
            """)
        let ended = try state.pruned("check", "--config", file).run().checked()
        #expect(ended.output.contains("no write-ahead log") == !isQuiet, "\(ended)")
    }

    @Test("--store shows one store, its rules and their settings; an unknown one is a usage error")
    func store() throws {
        let ended = try check("--store", "reader").checked()
        #expect(lines(ended).last == "1 store, 1 rule: all ok", "\(ended)")
        let whole = try check("--store", "reader", "--verbose").checked().output
        #expect(whole.contains("\n[store.reader]\n") && whole.contains("\n[rule.reader-a]\n"), "\(whole)")
        #expect(lines(ended).count == 4, "configuration, store, rule and verdict: \(ended)")
        #expect(!ended.output.contains("wrong") && !ended.output.contains("gone"), "\(ended)")
        let two = try check("--store", "reader", "--store", "wrong")
        #expect(two.status == 1 && lines(two).last == "2 stores, 2 rules: 1 rule WRONG", "\(two)")
        let unknown = try check("--store", "raeder")
        #expect(unknown.status == 64 && unknown.output.isEmpty, "\(unknown)")
        #expect(unknown.errors.contains("did you mean \"reader\"?"), "\(unknown)")
    }

    @Test("--problems shows what is not ok, and the exit status stays")
    func problems() throws {
        let ended = try check("--problems")
        #expect(ended.status == 74, "\(ended)")
        let names = lines(ended).dropLast().map { $0.prefix(20).trimmingCharacters(in: .whitespaces) }
        #expect(names == ["store gone", "rule gone-a", "rule gone-b", "rule wrong-a"], "\(ended)")
        let none = try check("--problems", "--store", "reader").checked()
        #expect(none.output == "1 store, 1 rule: all ok\n", "\(none)")
    }

    @Test("two rules on one table are no error, and which of them has a say is said")
    func overlap() throws {
        let shorter = """
            [rule.reader-b]
            store = "reader"
            table = "ITEM"
            age_column = "timestamp"
            keep = "10d"

            """
        try state.sandbox.write(
            "pruned.toml", String(contentsOfFile: file, encoding: .utf8) + shorter)
        let ended = try check("--store", "reader").checked()
        #expect(lines(ended).last == "1 store, 2 rules: 1 remark", "\(ended)")
        let text = ended.output.replacing(#/\n +/#, with: " ")
        #expect(
            text.contains(
                "rule reader-a is on this table, too; a row is deleted as soon as either rule allows it"))
        #expect(text.contains("reader-b deletes the same rows"), "\(ended)")
        #expect(try check("--store", "reader", "--problems").output.contains("rule reader-b"))
    }

    @Test(
        "a drop-in that gives a rule another table is told from one that changes a key: two rules may be meant"
    )
    func filesAtOdds() throws {
        _ = try state.sandbox.makeDirectory("conf.d")
        try state.sandbox.write("conf.d/10.toml", "[rule.reader-a]\nkeep = \"60d\"\ntable = \"item\"\n")
        #expect(try check("--store", "reader").checked().output.hasSuffix("\n1 store, 1 rule: all ok\n"))
        try state.sandbox.write(
            "conf.d/20.toml", "[rule.reader-a]\ntable = \"tweet\"\nage_column = \"created_at\"\n")
        let ended = try check("--store", "reader").checked()
        #expect(lines(ended).last == "1 store, 1 rule: 1 remark", "\(ended)")
        let text = ended.output.replacing(#/\n +/#, with: " ")
        #expect(
            text.contains("pruned.toml and conf.d/10.toml and conf.d/20.toml each name a table for it"),
            "\(ended)")
    }

    @Test("a plan counts its rules by their outcome, and shows one store, or what would not be done")
    func plan() throws {
        let rules = try String(contentsOfFile: file, encoding: .utf8).replacing("\"itm\"", with: "\"tweet\"")
            .replacing(
                "timestamp\"\nkeep = \"30d\"\n[rule.reader",
                with: "created_at\"\nkeep = \"30d\"\n[rule.reader")
        try state.sandbox.write(
            "pruned.toml",
            rules.replacing(
                "table = \"tweet\"\nage_column = \"timestamp\"",
                with: "table = \"tweet\"\nage_column = \"created_at\""))
        let all = try state.pruned("plan", "--config", file).run()
        #expect(
            all.status == 74 && lines(all)[1] == "3 stores, 4 rules: 2 would run, 2 would be skipped",
            "\(all)")
        let problems = try state.pruned("plan", "--config", file, "--problems").run()
        #expect(problems.status == 74 && lines(problems)[1] == lines(all)[1], "\(problems)")
        #expect(
            problems.output.contains("\ngone-b: would be skipped\n") && !problems.output.contains("reader-a"))
        let one = try state.pruned("plan", "--config", file, "--store", "reader").run().checked()
        #expect(lines(one)[1] == "1 store, 1 rule: 1 would run", "\(one)")
        let json = try state.pruned("plan", "--config", file, "--store", "wrong", "--json").run()
        #expect(try json.report().rules.map(\.rule) == ["wrong-a"], "\(json)")
        for options in [
            ["--json", "--problems"], ["--store", "none"], ["--store", "gone", "--rule", "wrong-a"],
        ] {
            var program = state.pruned("plan", "--config", file)
            program.arguments += options
            #expect(try program.run().status == 64, "\(options)")
        }
    }
}
