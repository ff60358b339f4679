import Foundation
import Testing

/// A rule that does not fit its store: refused before the first row, with file, key, value, reason and hint.
@Suite struct RuleErrorTests {
    /// A way to be wrong, and what must be said of it.
    struct Mistake: Sendable, CustomTestStringConvertible {
        let name: String
        /// The rule's keys besides its table and its time.
        var keys = ""
        /// More tables of the file.
        var tables = ""
        var unit = "s"
        /// The key that is to blame, and its line in the file.
        let key: String
        let line: Int
        let value: String
        let reason: String
        let hint: String

        var testDescription: String { name }
    }

    private static let columns = "the columns of item are id, at, feed, read, gone"

    static let mistakes = [
        Mistake(
            name: "a condition on a column that is not there", keys: "where = \"raed = 1\"",
            key: "rule.items.where",
            line: 8, value: "raed = 1", reason: "names raed, which is no column of item, at character 1",
            hint: "did you mean \"read\"?"),
        Mistake(
            name: "one that reads another store's table",
            keys: "protect = [\"read = 0\", \"id IN (SELECT item FROM label)\"]", key: "rule.items.protect",
            line: 8, value: "id IN (SELECT item FROM label)",
            reason: "reads label, and there is no such table",
            hint: "pruned.toml(5)"),
        Mistake(
            name: "one that could write", keys: "where = \"read = 1; DELETE FROM item\"",
            key: "rule.items.where", line: 8, value: "read = 1; DELETE FROM item",
            reason: "has ; where no condition has it, at character 9", hint: "without a semicolon"),
        Mistake(
            name: "one that calls what conditions do not have", keys: "\n\nwhere = \"read > random()\"",
            key: "rule.items.where", line: 10, value: "read > random()", reason: "calls random()",
            hint: "they have coalesce"),
        Mistake(
            name: "one that is no condition", keys: "where = \"1\"", key: "rule.items.where", line: 8,
            value: "1", reason: "ends where a comparison is expected", hint: "pruned.toml(5)"),
        Mistake(
            name: "a group column that is not there", keys: "keep_last = 1\nkeep_last_per = \"fed\"",
            key: "rule.items.keep_last_per", line: 9, value: "fed",
            reason: "table item has no column \"fed\"", hint: "did you mean feed?"),
        Mistake(
            name: "a mark on a column that is not there",
            keys: "action = { set = { read = 1, deleted = 1 } }",
            key: "rule.items.action.set.deleted", line: 8, value: "1",
            reason: "table item has no column \"deleted\"", hint: "its columns are id, at, feed"),
        Mistake(
            name: "a mark that a CHECK refuses", keys: "action = { set = { gone = 7 } }",
            key: "rule.items.action.set.gone", line: 8, value: "7",
            reason: "table item refuses a row with these values: CHECK constraint failed: gone IN (0, 1)",
            hint: "set what the app itself sets"),
        Mistake(
            name: "a tombstone that copies what is not there",
            keys: "[rule.items.tombstone]\ntable = \"tomb\"\ncolumns = { hash = \"guid\" }",
            key: "rule.items.tombstone.columns.hash", line: 10, value: "guid",
            reason: "table item has no column \"guid\"", hint: "its columns are id, at, feed"),
        Mistake(
            name: "a tombstone that lacks a column",
            keys: "tombstone = { table = \"tomb\", columns = { hash = \"feed\" } }",
            key: "rule.items.tombstone.columns", line: 8, value: "{ hash = \"feed\" }",
            reason: "a tombstone in tomb needs a value of source", hint: "name the column of item"),
        Mistake(
            name: "a time in another unit", unit: "ms", key: "rule.items.unit", line: 7, value: "ms",
            reason: "3 of 3 sampled values of item.at cannot be times in milliseconds",
            hint: "these are seconds"),
        Mistake(
            name: "a time text of another form", unit: "iso8601", key: "rule.items.unit", line: 7,
            value: "iso8601", reason: "3 of 3 sampled values of item.at cannot be times",
            hint: "these are seconds"),
        Mistake(
            name: "a rule that deletes marked rows sooner than the one that marks",
            tables: """
                [rule.marks]
                table = "item"
                age_column = "at"
                keep = "30d"
                action = { set = { gone = 1 } }
                """,
            key: "rule.items.keep", line: 6, value: "30d",
            reason: "rule items deletes rows that rule marks marks", hint: "keep its rows longer than marks"),
    ]

    private static func text(_ mistake: Mistake, store: String) -> String {
        """
        [store.app]
        path = "\(store)"
        [rule.items]
        table = "item"
        age_column = "at"
        keep = "30d"
        unit = "\(mistake.unit)"
        \(mistake.keys)
        \(mistake.tables)
        """
    }

    /// A store with three expired rows.
    private func store(_ state: StateDirectory) throws -> Database {
        _ = try state.sandbox.makeDirectory("home")
        let store = Database(path: state.sandbox.path + "/home/app.db")
        try store.query(
            """
            CREATE TABLE item (id INTEGER PRIMARY KEY, at INTEGER, feed TEXT, read INTEGER,
                gone INTEGER CHECK (gone IN (0, 1)));
            CREATE TABLE tomb (hash TEXT UNIQUE, source TEXT NOT NULL);
            INSERT INTO item SELECT value, unixepoch() - 8640000, 'f', 1, 0 FROM json_each('[1, 2, 3]');
            """)
        return store
    }

    @Test(
        "check and run say file, line, key, value, reason and hint, and nothing is lost",
        arguments: mistakes, ["check", "plan", "--run-now"])
    func mistake(_ mistake: Mistake, command: String) throws {
        let state = try StateDirectory()
        let store = try store(state)
        let before = try store.query("SELECT * FROM item")
        let file = try state.configuration(Self.text(mistake, store: store.path))
        let ended = try state.pruned(command, "--config", file).run()
        #expect(ended.status != 0, "\(ended)")
        let said = words(ended.errors + ended.output)
        // The line of a key is not said of a file that is wrong in itself.
        let places = ["\(file): line \(mistake.line): \(mistake.key)", "\(file): \(mistake.key)"]
        #expect(places.contains(where: said.contains), "\(places) in \(said)")
        for part in [mistake.value, mistake.reason, mistake.hint] {
            #expect(said.contains(part), "\(part) in \(said)")
        }
        #expect(try store.query("SELECT * FROM item") == before)
    }

    /// The text without its line breaks.
    private func words(_ text: String) -> String {
        text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    @Test(
        "a key of conf.d is blamed where it stands, and what no file sets at the rule",
        arguments: [
            ("where = \"raed = 1\"", "conf.d/50-more.toml: line 2: rule.items.where"),
            ("dependents = [\"tomb\"]", "conf.d/50-more.toml: line 2: rule.items.dependents"),
            ("unit = \"ms\"", "conf.d/50-more.toml: line 2: rule.items.unit = \"ms\""),
        ])
    func dropIn(line: String, place: String) throws {
        let state = try StateDirectory()
        let store = try store(state)
        let fine = Self.text(
            Mistake(name: "", key: "", line: 0, value: "", reason: "", hint: ""), store: store.path)
        let file = try state.configuration(fine)
        _ = try state.sandbox.makeDirectory("conf.d")
        _ = try state.sandbox.write("conf.d/50-more.toml", "[rule.items]\n\(line)\n")
        let ended = try state.pruned("check", "--config", file).run()
        #expect(words(ended.errors).contains(place), "\(ended)")
    }

    @Test(
        "a store that no preset's schema fits is refused by the store's line",
        arguments: ["check", "--run-now"])
    func preset(command: String) throws {
        let news = try PresetStore()
        try news.store.query("ALTER TABLE item ADD COLUMN pinned INTEGER")
        let before = try news.store.query("SELECT * FROM item")
        let ended = try news.pruned(command)
        let said = words(ended.errors)
        #expect(ended.status != 0, "\(ended)")
        #expect(said.contains("\(news.file): line 3: store.news.preset = \"reader\": cannot"), "\(said)")
        #expect(said.contains("table item has an unknown column pinned"), "\(said)")
        #expect(said.contains("add accept_columns = [\"item.pinned\"] to [store.news]"), "\(said)")
        #expect(try news.store.query("SELECT * FROM item") == before)
    }

    @Test("a key of a preset is blamed in the preset's file")
    func presetRule() throws {
        let news = try PresetStore()
        let lines = PresetStore.preset.replacing("starred = 0", with: "stared = 0")
        try news.state.sandbox.write("presets/reader.toml", lines)
        let number = try #require(lines.split(separator: "\n").firstIndex { $0.hasPrefix("where") }) + 1
        let ended = try news.pruned("check")
        #expect(
            words(ended.errors).contains("\(news.preset): line \(number): rule.news-items.where: cannot"),
            "\(ended)")
    }

    @Test("the journal's message and the report of a run say it, too")
    func report() throws {
        let state = try StateDirectory()
        let store = try store(state)
        let mistake = try #require(Self.mistakes.first { $0.unit == "ms" })
        let file = try state.configuration(Self.text(mistake, store: store.path))
        let run = try state.pruned("--run-now", "--json", "--config", file).run()
        let reason = "\(file): line 7: rule.items.unit = \"ms\": cannot apply rule items"
        #expect(try run.report()["items"]?.reason?.hasPrefix(reason) == true, "\(run)")
        #expect(run.errors.contains(reason), "\(run)")
    }
}
