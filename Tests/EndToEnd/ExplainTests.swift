import TestSupport
import Foundation
import Testing

/// `pruned explain RULE KEY`: one row, judged.
@Suite struct ExplainTests {
    /// A store with a row for each reason to stay, and one that goes.
    private func makeStore() throws -> (StateDirectory, Program) {
        let state = try StateDirectory()
        try Program(path: "mkdir", arguments: ["-p", state.path]).run().checked()
        let news = Database(path: state.path + "/news.db")
        try news.query(
            """
            CREATE TABLE item (id INTEGER PRIMARY KEY, at INTEGER, read INTEGER, starred INTEGER);
            CREATE TABLE pin (item INTEGER UNIQUE);
            INSERT INTO item VALUES (1, unixepoch() - 8640000, 1, 0), (2, unixepoch() - 8640000, 0, 0),
                (3, unixepoch() - 8640000, 1, NULL), (4, unixepoch(), 1, 0), (5, unixepoch() - 8640000, 1, 0),
                (6, 7, 1, 0), (7, unixepoch() - 8640000, 1, 0);
            INSERT INTO pin VALUES (5);
            """)
        let file = try state.configuration(
            """
            [store.news]
            path = "news.db"
            [rule.old]
            table = "item"
            age_column = "at"
            keep = "30d"
            where = "read = 1"
            protect = "starred = 1"
            kept_by = "pin.item"
            """)
        return (state, state.pruned("explain", "old", "--config", file))
    }

    @Test("each row's judgement is what a run does with it, and names what keeps it")
    func reasons() throws {
        let (state, explain) = try makeStore()
        let reasons = [
            1: nil, 2: "where", 3: "protect", 4: "keep", 5: "kept_by", 6: "keep", 7: nil,
        ]
        let before = FileTree(state.path)
        for (key, reason) in reasons {
            var program = explain
            program.arguments.append(contentsOf: ["\(key)", "--json"])
            let ended = try program.run()
            #expect(ended.status == 0, "\(ended)")
            let object = try ended.members()
            #expect(object["verdict"] as? String == (reason == nil ? "goes" : "stays"), "\(key)")
            let checks = try #require(object["checks"] as? [[String: Any]])
            let against = checks.filter { $0["allows"] as? Bool == false }.compactMap { $0["key"] as? String }
            #expect(against == [reason].compactMap(\.self), "\(key)")
        }
        #expect(FileTree(state.path) == before)
    }

    @Test("a row that is not there is an error, and so is a key with too many parts")
    func noRow() throws {
        let (state, explain) = try makeStore()
        defer { withExtendedLifetime(state) {} }
        var (absent, long) = (explain, explain)
        absent.arguments.append("99")
        long.arguments.append(contentsOf: ["1", "2"])
        let missing = try absent.run()
        #expect(missing.status == 1 && missing.errors.contains("no row with the key 99"), "\(missing)")
        let wrong = try long.run()
        #expect(wrong.status == 1 && wrong.errors.contains("its key has one column"), "\(wrong)")
    }

    @Test("for a person, a row that is too young says until when it stays")
    func text() throws {
        let (state, explain) = try makeStore()
        defer { withExtendedLifetime(state) {} }
        var program = explain
        program.arguments.append("4")
        let ended = try program.run()
        #expect(ended.output.hasPrefix("item 4: stays until 20"), "\(ended)")
        #expect(ended.output.contains("stays   keep at over 30d: not old enough until 20"), "\(ended)")
    }

    @Test("a row that was put back says until when, in the time format of the other lines")
    func lease() throws {
        let store = try OddStore(rows: 100)
        try store.run().run().checked()
        try store.restore(try #require(store.archivedRuns().first)).run().checked()
        let ended = try store.state.pruned(
            "explain", "named", try store.database.query("SELECT a FROM named ORDER BY at LIMIT 1"),
            "--config",
            try store.configuration()
        ).run().checked()
        let line = #/\n  stays   it was put back; leases end by \d{4}-\d\d-\d\d \d\d:\d\d:\d\d\n/#
        #expect(ended.output.contains(line), "\(ended)")
    }

    @Test("a value that reads as its time is said once")
    func timeText() throws {
        let (state, explain) = try makeStore()
        let news = Database(path: state.path + "/news.db")
        var program = explain
        program.arguments.append("1")
        let text = try String(contentsOfFile: state.sandbox.path + "/pruned.toml", encoding: .utf8)
        try state.sandbox.write(
            "pruned.toml",
            "time_zone = \"UTC\"\n" + text.replacing("keep =", with: "unit = \"iso8601\"\nkeep ="))
        try news.query("UPDATE item SET at = '2024-09-25T02:43:53Z'")
        let ended = try program.run().checked()
        #expect(ended.output.contains("\n  time    at = '2024-09-25T02:43:53Z'\n"), "\(ended)")
    }
}
