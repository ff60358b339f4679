import Pruning
import Retention
import SQLitePruning
import TestSupport
import Testing

/// Triggers of an app that may fire because a gate names them and knows their text.
struct NamedTriggerTests {
    private static let tables = """
        CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER, text TEXT);
        CREATE TABLE meta (t_id INTEGER, word TEXT);
        CREATE TABLE log (x);

        """
    private static let removal =
        "CREATE TRIGGER removal AFTER DELETE ON t BEGIN DELETE FROM meta WHERE t_id = OLD.id; END;"
    private static let rows = """
        INSERT INTO t VALUES (1, \(old), 'one'), (2, \(old), 'two'), (3, \(fresh), 'three');
        INSERT INTO meta VALUES (1, 'a'), (1, 'b'), (2, 'c'), (3, 'd');
        """

    private func store(_ triggers: String = Self.removal) throws -> TemporaryStore {
        try TemporaryStore(Self.tables + triggers + Self.rows)
    }

    @Test("what a named trigger deletes counts as dependents", arguments: ["removal", "REMOVAL"])
    func fires(name: String) throws {
        let app = try store()
        let report = app.outcome(behind: StoreGate(Self.tables + Self.removal, triggers: [name]))
        #expect(report.outcome == .done, "\(String(describing: report.failure))")
        #expect(report.deleted == 2 && report.dependentsDeleted == 3)
        #expect(try app.texts("SELECT word FROM meta") == ["d"])
    }

    @Test("a trigger that the gate knows but does not name is refused")
    func unnamed() throws {
        let failure = try #require(store().outcome(behind: StoreGate(Self.tables + Self.removal)).failure)
        #expect(failure.kind == .fault(.schema))
        #expect(failure.cause.contains("trigger removal"))
    }

    @Test("a named trigger with another text does not pass the gate")
    func otherText() throws {
        let app = try store(Self.removal.replacing("= OLD.id", with: ">= OLD.id"))
        let gate = StoreGate(Self.tables + Self.removal, triggers: ["removal"])
        #expect(app.outcome(behind: gate).failure?.kind == .fault(.unknownSchema))
        #expect(try app.integers("SELECT count(*) FROM t") == [3])
    }

    @Test("a trigger that a named one sets off must be named, too")
    func nested() throws {
        let triggers =
            Self.removal
            + "CREATE TRIGGER deep AFTER DELETE ON meta BEGIN INSERT INTO log VALUES (OLD.word); END;"
        let app = try store(triggers)
        let schema = Self.tables + triggers
        let failure = app.outcome(behind: StoreGate(schema, triggers: ["removal"])).failure
        #expect(failure?.cause.contains("trigger deep") == true)
        let report = app.outcome(behind: StoreGate(schema, triggers: ["removal", "deep"]))
        #expect(report.dependentsDeleted == 6)
        #expect(try app.integers("SELECT count(*) FROM log") == [3])
    }

    @Test("a named trigger may not write to the rule's own table")
    func ownTable() throws {
        let trigger = "CREATE TRIGGER removal AFTER DELETE ON t BEGIN DELETE FROM t WHERE id = 3; END;"
        let app = try store(trigger)
        let gate = StoreGate(Self.tables + trigger, triggers: ["removal"])
        #expect(app.outcome(behind: gate).failure?.cause.contains("delete rows of t ") == true)
        #expect(try app.integers("SELECT count(*) FROM t") == [3])
    }

    @Test("a rule that archives is refused where a trigger deletes rows that the archive does not take")
    func archiving() throws {
        var rule = RetentionRule.old()
        rule.archiveKeep = RetentionRule.defaultArchiveKeep
        let gate = StoreGate(Self.tables + Self.removal, triggers: ["removal"])
        let failure = try #require(store().outcome(rule, behind: gate).failure)
        #expect(failure.cause == "trigger removal deletes rows of meta, which the archive does not take")
    }

    @Test("a full-text index over the rule's table is whole afterwards if a named trigger tells it")
    func fullText() throws {
        let index = """
            CREATE VIRTUAL TABLE f USING fts5(text, content='t', content_rowid='id');
            CREATE TRIGGER told AFTER DELETE ON t BEGIN
            INSERT INTO f (f, rowid, text) VALUES ('delete', OLD.id, OLD.text); END;

            """
        let app = try TemporaryStore(
            Self.tables + index + Self.rows + "INSERT INTO f (f) VALUES ('rebuild');")
        let gate = StoreGate(Self.tables + index, triggers: ["told"])
        let report = app.outcome(behind: gate)
        #expect(report.outcome == .done && report.deleted == 2, "\(String(describing: report.failure))")
        #expect(try app.texts("SELECT text FROM f WHERE f MATCH 'one OR two OR three'") == ["three"])
        try app.execute("INSERT INTO f (f, rank) VALUES ('integrity-check', 1)")
        let untold = try TemporaryStore(
            Self.tables + index + Self.rows + "DROP TRIGGER told; INSERT INTO f (f) VALUES ('rebuild');")
        let bare = StoreGate(Self.tables + index.prefix { $0 != ";" } + ";")
        #expect(untold.outcome(behind: bare).failure?.cause.contains("full-text index f") == true)
    }

    /// As in an app that empties the texts of old articles.
    @Test("a mark on an indexed column is told by a named trigger, and what the trigger writes counts")
    func mark() throws {
        let index = """
            CREATE VIRTUAL TABLE f USING fts5(text, content='t', content_rowid='id');
            CREATE TRIGGER told AFTER UPDATE ON t BEGIN
            INSERT INTO f (f, rowid, text) VALUES ('delete', OLD.id, OLD.text);
            INSERT INTO f (rowid, text) VALUES (NEW.id, NEW.text); END;

            """
        let app = try TemporaryStore(
            Self.tables + index + Self.rows + "INSERT INTO f (f) VALUES ('rebuild');")
        var rule = RetentionRule.old()
        rule.action = .mark([MarkedColumn("text", .text(""))])
        #expect(app.outcome(rule).failure?.cause.contains("trigger told") == true)
        let report = app.outcome(rule, behind: StoreGate(Self.tables + index, triggers: ["told"]))
        #expect(report.outcome == .done, "\(String(describing: report.failure))")
        #expect(report.deleted == 2 && report.dependentsDeleted > 0)
        #expect(try app.texts("SELECT text FROM t ORDER BY id") == ["", "", "three"])
        #expect(try app.texts("SELECT text FROM f WHERE f MATCH 'one OR two OR three'") == ["three"])
        try app.execute("INSERT INTO f (f, rank) VALUES ('integrity-check', 1)")
    }
}
