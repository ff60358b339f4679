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

    /// Feeds that go with one of their articles, and what refers to them.
    struct Following: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let tables: String
        let cause: String
        var event = "DELETE"
        var change: @Sendable (inout RetentionRule) -> Void = { _ in }

        var schema: String {
            "CREATE TABLE feed (id INTEGER PRIMARY KEY);\n\(tables)\nCREATE TRIGGER last AFTER \(event) ON t"
                + " BEGIN DELETE FROM feed WHERE id = OLD.feed; END;\n"
        }
    }

    private static let articles =
        "CREATE TABLE t (id INTEGER PRIMARY KEY, feed INTEGER, at INTEGER, hidden INTEGER);\n"
    private static let undeclared =
        "(a foreign key to rows that trigger last deletes), which the rule does not declare"
    private static let stars = """
        \(articles)CREATE TABLE star (t INTEGER REFERENCES t ON DELETE CASCADE,
        feed INTEGER REFERENCES feed ON DELETE CASCADE, kept INTEGER);
        CREATE INDEX star_t ON star (t); CREATE INDEX star_feed ON star (feed);
        """

    @Test(
        "rows that refer to those that a named trigger deletes are neither the rule's nor those that keep its rows",
        arguments: [
            Following(
                testDescription: "its own",
                tables: articles.replacing(
                    "feed INTEGER", with: "feed INTEGER REFERENCES feed ON DELETE CASCADE"),
                cause: "also delete rows of t \(undeclared)"),
            Following(
                testDescription: "a keeper", tables: stars, cause: "also delete rows of star \(undeclared)"
            ) {
                $0.keptBy = [ColumnReference(table: "star", column: "t")]
            },
            Following(
                testDescription: "a dependent that protects", tables: stars,
                cause: "reads star, of which rule old deletes rows"
            ) {
                $0.dependents = ["star"]
                $0.protect = ["EXISTS (SELECT 1 FROM star WHERE star.t = t.id AND star.kept = 1)"]
            },
            Following(
                testDescription: "its own, of a rule that marks",
                tables: articles.replacing(
                    "feed INTEGER", with: "feed INTEGER REFERENCES feed ON DELETE SET NULL"),
                cause: "also update rows of t \(undeclared)", event: "UPDATE OF hidden"
            ) { $0.action = .mark([MarkedColumn("hidden", .integer(1))]) },
        ])
    func following(_ following: Following) throws {
        let app = try TemporaryStore(
            following.schema + """
                INSERT INTO feed VALUES (1);
                INSERT INTO t VALUES (1, 1, \(old), 0), (2, 1, \(fresh), 0), (3, 1, \(fresh), 0);
                """)
        var rule = RetentionRule.old()
        following.change(&rule)
        let report = app.outcome(rule, behind: StoreGate(following.schema, triggers: ["last"]))
        #expect(report.failure?.cause.contains(following.cause) == true, "\(report)")
        #expect(try app.integers("SELECT count(*) FROM t WHERE feed = 1 AND hidden = 0") == [3])
    }

    @Test("a dependent may be one that a named trigger alone reaches")
    func triggeredDependent() throws {
        let app = try store()
        let gate = StoreGate(Self.tables + Self.removal, triggers: ["removal"])
        let rule = RetentionRule.old(dependents: ["meta"])
        let view = try app.store(gate: gate).openView(freeControl())
        defer { view.close() }
        #expect(throws: Never.self) {
            _ = try view.timeSample(of: PruneTask(rule, start: runStart, in: .gmt), rows: 10)
        }
        let report = app.outcome(rule, behind: gate)
        #expect(report.outcome == .done && report.dependentsDeleted == 3, "\(report)")
    }

    @Test(
        "of several rules that mark a table, each with its triggers, a condition reads what none of them changes"
    )
    func marksOfOthers() throws {
        let schema = """
            CREATE TABLE t (id INTEGER PRIMARY KEY, feed INTEGER, at INTEGER, a INTEGER, b INTEGER);
            CREATE TABLE feed (id INTEGER PRIMARY KEY, keep INTEGER);
            CREATE TABLE log (feed INTEGER, at INTEGER);
            CREATE TRIGGER emptied AFTER UPDATE OF b ON t BEGIN UPDATE feed SET keep = 0 WHERE id = NEW.feed; END;

            """
        let app = try TemporaryStore(
            schema + "INSERT INTO feed VALUES (1, 1); INSERT INTO log VALUES (1, \(old));"
                + "INSERT INTO t VALUES (1, 1, \(old), 0, 0);")
        func marking(_ name: Name, _ column: String) -> RetentionRule {
            var rule = RetentionRule.old(name: name)
            rule.action = .mark([MarkedColumn(column, .integer(1))])
            return rule
        }
        var last = RetentionRule.old("log", name: "last")
        last.protect = ["EXISTS (SELECT 1 FROM feed WHERE feed.id = log.feed AND feed.keep = 1)"]
        let rules = [marking("aa", "a"), marking("empty", "b"), last]
        let store = app.store(gate: StoreGate(schema, triggers: ["emptied"]), rules: rules)
        let report = PruneRun.report(rules, on: [store])
        #expect(
            report.rules.last?.failure?.cause.contains(
                "changes with the rows of rule empty (trigger emptied)") == true,
            "\(report)")
        #expect(try app.integers("SELECT count(*) FROM log") == [1])
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
