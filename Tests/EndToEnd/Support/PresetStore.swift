import TestSupport
import Foundation

/// A store of an app that a preset describes, with an expired row, a fresh one, and one that must stay.
struct PresetStore {
    let state: StateDirectory
    let store: Database
    /// The configuration: the store `news` by the preset `reader`.
    let file: String
    let preset: String

    static let schema = """
        CREATE TABLE item (id INTEGER PRIMARY KEY, at INTEGER, starred INTEGER);
        CREATE TABLE word (item INTEGER, text TEXT);
        CREATE TRIGGER gone AFTER DELETE ON item BEGIN DELETE FROM word WHERE item = OLD.id; END;
        """

    static let preset = """
        app = "Newsreader"
        versions = "1 to 3"
        tested_with = "the tests"
        path = "~/news.db"
        notes = "Starred items stay."
        skip_while_locked = "news.lock"
        triggers = ["gone"]
        [[schema]]
        versions = "2 to 3"
        tables = \"\"\"
        table item
          column id number
          column at number
          column starred number
          primary key (id)
          trigger gone after delete begin delete from word where item = old.id; end
        table word
          column item number
          column text text
        \"\"\"
        [rule.items]
        table = "item"
        age_column = "at"
        keep = "30d"
        where = "starred = 0"

        """

    init() throws {
        state = try StateDirectory()
        let directory = try state.sandbox.makeDirectory("home")
        store = Database(path: directory + "/news.db")
        try store.query(
            """
            PRAGMA journal_mode = WAL; \(Self.schema)
            INSERT INTO item VALUES (1, unixepoch() - 3500000, 0), (2, unixepoch(), 0), (3, unixepoch() - 3500000, 1);
            INSERT INTO word VALUES (1, 'a'), (1, 'b'), (2, 'c');
            """)
        _ = try state.sandbox.makeDirectory("presets")
        preset = try state.sandbox.write("presets/reader.toml", Self.preset)
        file = try state.configuration(Self.configuration(of: store))
    }

    /// `keys` are more keys of the store.
    static func configuration(of store: Database, _ keys: String = "") -> String {
        "[store.news]\npath = \"\(store.path)\"\npreset = \"reader\"\n\(keys)\n"
    }

    /// Runs `pruned` with the configuration.
    func pruned(_ arguments: String...) throws -> EndedProgram {
        var program = state.pruned("--config", file)
        program.arguments = arguments + program.arguments
        return try program.run()
    }

    func ids() throws -> String {
        try store.query("SELECT group_concat(id) FROM (SELECT id FROM item ORDER BY id)")
    }
}
