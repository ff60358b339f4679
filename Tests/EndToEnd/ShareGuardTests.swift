import TestSupport
import Foundation
import Testing

/// A rule that would take too much of its table deletes nothing until a person has seen it.
@Suite struct ShareGuardTests {
    @Test(
        "a rule for the whole table is held: nothing goes, the other rules do their work, and the way on is named"
    )
    func wholeTable() throws {
        let state = try StateDirectory.holding(expired: 1_200, fresh: 100)
        try state.store.query(
            "INSERT INTO item VALUES (1, 1000000000), (2, unixepoch()), (3, unixepoch()), (4, unixepoch())")
        let ended = try state.runNow.run()
        #expect(ended.status == 3, "\(ended)")
        let report = try ended.report()
        #expect(report.outcome == "held")
        #expect(report["items"]?.deleted == 1)
        let rule = try #require(report["read-records"])
        #expect(rule.outcome == "held")
        #expect(rule.expired == 1_200)
        #expect(rule.deleted == 0)
        #expect(
            rule.reason
                == "cannot run rule read-records in \(state.storePath): would delete 1,200 of 1,300 rows of read_record"
                + " (92 %, limit 50 %); the rule is new: it has never completed a run")
        let hint = try #require(rule.hint)
        #expect(hint.contains("`pruned --state-dir \(state.path) --run-now --confirm read-records`"))
        #expect(hint.contains("`pruned --state-dir \(state.path) confirm read-records`"))
        #expect(try state.records == 1_300)
        let again = try state.pruned("--run-now", "--json").run()
        #expect(try again.status == 3 && again.report()["read-records"]?.outcome == "held", "until confirmed")
    }

    @Test(
        "who came by sudo, or names a relative place, gets a command that works without either",
        .enabled(if: geteuid() == 0))
    func commands() throws {
        let state = try StateDirectory.holding(expired: 1_200, fresh: 100)
        let parent = (state.path as NSString).deletingLastPathComponent
        let name = (state.path as NSString).lastPathComponent
        let line =
            "cd \(parent); exec \(Program.pruned.path) plan --rule read-records --json --state-dir \(name)"
        var program = Program(path: "bash", arguments: ["-c", line])
        program.environment = ["SUDO_USER": "ada"]
        let hint = try #require(try program.run().report()["read-records"]?.hint)
        #expect(
            hint.contains(
                "`sudo pruned --state-dir \(state.path) confirm read-records`"),
            "\(hint)")
    }

    @Test("the report of a held rule says how many rows stay, for a person: all")
    func kept() throws {
        let state = try StateDirectory.holding(expired: 1_200, fresh: 100)
        for (dryRun, number) in [(["--dry-run"], "1,200"), ([], "0")] {
            var program = state.pruned("--run-now")
            program.arguments += dryRun
            let ended = try program.run()
            #expect(ended.status == 3)
            let cells = ended.output.split(separator: "\n").map { $0.split(separator: " ") }
            let outcome = dryRun.isEmpty ? ["held"] : ["would", "be", "held"]
            let row = (["read-records"] + outcome + [number, "1,300"]).map { $0[...] }
            #expect(cells.contains { $0.starts(with: row) }, "\(ended)")
        }
    }

    @Test(
        "exactly the share may go, and one row more is held; so are whole tables of any size, and others from the smallest on",
        arguments: [
            (expired: 500, fresh: 500, more: "", isHeld: false), (600, 600, "", false), (601, 599, "", true),
            (501, 500, "", true), (501, 499, "", true),
            (880, 119, "", false), (999, 0, "", true), (1_000, 0, "", true),
            (29, 71, "guard = { max_share = 0.29, min_rows = 100 }", false),
            (30, 71, "guard = { max_share = 0.29, min_rows = 100 }", true),
            (1_000, 0, "guard = { max_share = 1 }", false), (1, 0, "guard = { min_rows = 0 }", true),
        ])
    func threshold(expired: Int, fresh: Int, more: String, isHeld: Bool) throws {
        let state = try StateDirectory.holding(expired: expired, fresh: fresh)
        let file = try state.readRecordsFile(more)
        for dryRun in [["--dry-run"], []] {
            var program = state.pruned("--run-now", "--json", "--config", file)
            program.arguments += dryRun
            let rule = try program.run().only(isHeld ? 3 : 0)
            #expect(rule.expired == expired)
            #expect(rule.outcome == (isHeld ? "held" : "done"))
        }
        #expect(try state.records == fresh + (isHeld ? expired : 0))
    }

    @Test("a cache that can be fetched again may go as a whole, unless its own guard says otherwise")
    func caches() throws {
        let state = try StateDirectory.holding(expired: 0, fresh: 0)
        let rule = "table = \"feed\"\nexpires_column = \"expires_at\"\ndependents = [\"article\"]"
        for (more, isHeld) in [
            ("guard = { min_rows = 10, max_share = 0.9 }", true), ("guard = { min_rows = 10 }", false),
        ] {
            try state.store.query(
                "WITH n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 1500) INSERT OR IGNORE INTO feed"
                    + " SELECT i, unixepoch('now', '-9 days'), unixepoch('now', '-9 days') FROM n")
            let text =
                "guard.max_share = 0.1\nstore.reader.path = \"shared/reader.sqlite\"\n[rule.only]\n\(rule)\n\(more)\n"
            #expect(
                try state.runNow(configuration: text).run().only(isHeld ? 3 : 0).deleted
                    == (isHeld ? 0 : 1_500))
        }
    }

    @Test("a dry run says that a rule would be held, takes its rows for kept, and writes nothing")
    func dryRun() throws {
        let state = try StateDirectory.holding(expired: 0, fresh: 0)
        // Every read record marks a tweet, and so stays if the tweets do.
        try state.store.query(
            """
            INSERT INTO user VALUES (1, '', '', '');
            WITH n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 1500)
            INSERT INTO tweet (id, created_at, text, user_id) SELECT i, unixepoch('now', '-90 days'), '', 1 FROM n;
            INSERT INTO read_record SELECT id, created_at FROM tweet;
            """)
        let before = FileTree(state.path)
        let planned = try state.pruned("--run-now", "--json", "--dry-run").run()
        #expect(planned.status == 3, "\(planned)")
        #expect(FileTree(state.path) == before)
        let done = try state.runNow.run()
        #expect(done.status == 3, "\(done)")
        for report in [try planned.report(), try done.report()] {
            #expect(report["timeline"]?.outcome == "held")
            #expect(report["read-records"]?.outcome == "done")
            #expect(report["read-records"]?.expired == 0)
        }
        #expect(try planned.report()["timeline"]?.reason == done.report()["timeline"]?.reason)
    }

    @Test("of a rule that marks, every text about its hold says that it marks")
    func marking() throws {
        let state = try StateDirectory()
        let app = Database(path: state.sandbox.path + "/app.db")
        try app.query(
            """
            CREATE TABLE item (id INTEGER PRIMARY KEY, at INTEGER, gone INTEGER);
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1500)
            INSERT INTO item SELECT i, unixepoch() - 8640000, 0 FROM n;
            """)
        let file = try state.configuration(
            """
            [store.app]
            path = "\(app.path)"
            [rule.items]
            table = "item"
            age_column = "at"
            keep = "30d"
            action = { set = { gone = 1 } }
            """)
        let said = { (arguments: String...) in
            var program = state.pruned(arguments[0], "--config", file)
            program.arguments += arguments.dropFirst()
            let ended = try program.run()
            return (ended.output + ended.errors).split(whereSeparator: \.isWhitespace).joined(separator: " ")
        }
        let amount = "would mark 1,500 of 1,500 rows of item"
        let texts = try [said("plan"), said("--run-now"), said("status"), said("confirm", "items")]
        for text in texts.prefix(3) {
            #expect(text.contains(amount), "\(text)")
            #expect(!text.contains("to delete these rows") && !text.contains("would delete 1"), "\(text)")
        }
        #expect(
            texts[0].contains("to mark these rows, once:") && texts[1].contains("to mark these rows"),
            "\(texts)")
        #expect(texts[2].contains("to mark these rows:"), "\(texts[2])")
        #expect(
            texts[3].contains("items: confirmed for one run: about 1,500 of 1,500 rows of item"),
            "\(texts[3])")
        #expect(try said("--run-now").contains("1,500 rows marked"))
        #expect(try app.count("SELECT sum(gone) FROM item") == 1_500)
    }
}
