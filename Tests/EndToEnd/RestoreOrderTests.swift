import TestSupport
import Foundation
import Testing

/// Rows that point at each other, in tables and stores of several rules, and what a restore makes of them.
@Suite struct RestoreOrderTests {
    private static func rule(_ table: String, store: String = "s") -> String {
        """
        [rule.\(table)]
        store = "\(store)"
        table = "\(table)"
        age_column = "at"
        keep = "30d"
        archive = true
        guard = { max_share = 1 }

        """
    }

    private static let store = "[store.s]\npath = \"s.sqlite\"\n"

    private func restore(_ state: StateDirectory, _ configuration: String, _ options: [String] = []) throws
        -> EndedProgram
    {
        let archive = Database(path: state.path + "/archive/s/archive.sqlite")
        let runID = try archive.query("SELECT max(run_id) FROM batch")
        var program = state.pruned(
            "restore", runID, "--json", "--config", try state.configuration(configuration))
        program.arguments += options
        return try program.run()
    }

    @Test("rows come back in one restore, whatever the order of the rows that they point at")
    func foreignKeys() throws {
        let state = try StateDirectory()
        try FileManager.default.createDirectory(atPath: state.path, withIntermediateDirectories: false)
        let database = Database(path: state.path + "/s.sqlite")
        try database.query(
            """
            CREATE TABLE z_feed (id INTEGER PRIMARY KEY, at INTEGER);
            CREATE TABLE m_post (id INTEGER PRIMARY KEY, at INTEGER, feed REFERENCES z_feed, reply REFERENCES m_post);
            CREATE TABLE a_note (id INTEGER PRIMARY KEY, at INTEGER, post REFERENCES m_post);
            CREATE INDEX post_feed ON m_post (feed);
            CREATE INDEX post_reply ON m_post (reply);
            CREATE INDEX note_post ON a_note (post);
            INSERT INTO z_feed SELECT value, unixepoch() - 60 * 86400 FROM generate_series(1, 50);
            INSERT INTO m_post SELECT value, unixepoch() - 60 * 86400, value, NULL FROM generate_series(1, 50);
            UPDATE m_post SET reply = id + 1 WHERE id % 2 = 1;
            INSERT INTO a_note SELECT value, unixepoch() - 60 * 86400, value FROM generate_series(1, 50);
            """)
        let configuration = Self.store + ["z_feed", "m_post", "a_note"].map { Self.rule($0) }.joined()
        // Each rule finds the rows gone that pointed at its own.
        for table in ["a_note", "m_post", "z_feed"] {
            var run = try state.runNow(configuration: configuration)
            run.arguments += ["--rule", table]
            try run.run().checked()
        }
        try Database(path: state.path + "/archive/s/archive.sqlite").query("UPDATE batch SET run_id = 'one'")
        #expect(try database.rows(["a_note", "m_post", "z_feed"]) == [0, 0, 0])

        let preview = try restore(state, configuration, ["--dry-run"]).checked().restored()
        let restored = try restore(state, configuration).checked().restored()
        #expect(restored == preview)
        #expect(restored.values.allSatisfy { $0.restored == 50 && $0.skipped.values.allSatisfy { $0 == 0 } })
        #expect(try database.rows(["a_note", "m_post", "z_feed"]) == [50, 50, 50])
        #expect(try database.health() == "ok")
    }

    @Test(
        "a restore into several stores of which one is not configured any more puts nothing back and says so")
    func missingStore() throws {
        let state = try StateDirectory()
        try FileManager.default.createDirectory(atPath: state.path, withIntermediateDirectories: false)
        for name in ["s", "other"] {
            try Database(path: state.path + "/\(name).sqlite").query(
                "CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER); INSERT INTO t VALUES (1, unixepoch() - 60 * 86400);"
            )
        }
        let other = "[store.other]\npath = \"other.sqlite\"\n"
        let rules = Self.rule("t") + Self.rule("t", store: "other").replacing("rule.t", with: "rule.u")
        try state.runNow(configuration: Self.store + other + rules).run().checked()
        let ended = try restore(state, Self.store + Self.rule("t"))
        #expect(ended.status == 78 && ended.errors.contains("[store.other]"), "\(ended)")
        #expect(try Database(path: state.path + "/s.sqlite").rows(["t"]) == [0])

        try FileManager.default.removeItem(atPath: state.path + "/other.sqlite")
        for options in [["--dry-run"], []] {
            let gone = try restore(state, Self.store + other + rules, ["--rule", "u"] + options)
            #expect(gone.status == 74, "\(gone)")
            #expect(gone.output.contains("other.sqlite: No such file or directory"), "\(gone)")
        }
        try Database(path: state.path + "/other.sqlite").query(
            "CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER)")

        let both = try restore(state, Self.store + other + rules).checked().restored()
        #expect(both.mapValues(\.restored) == ["t": 1, "u": 1])
        for name in ["s", "other"] {
            #expect(try Database(path: state.path + "/\(name).sqlite").rows(["t"]) == [1])
        }
    }
}
