import Pruning
import Retention
import SQLitePruning
import TestSupport
import Testing

/// `action = { set = … }`: rows are marked as their app marks them.
struct MarkTests {
    private static let schema = """
        CREATE TABLE feed (id INTEGER PRIMARY KEY);
        CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER, gone INTEGER NOT NULL DEFAULT 0, text TEXT, feed INTEGER \
        REFERENCES feed (id), slug TEXT UNIQUE, twice INTEGER AS (gone * 2), CHECK (gone < 5));
        INSERT INTO feed VALUES (1);
        INSERT INTO t (id, at, gone, text) VALUES (1, \(old), 0, 'a'), (2, \(old), 1, ''), (3, \(fresh), 0, 'c'),
            (4, \(old), 0, NULL), (5, \(old), 1, 'e');
        """

    private func rule(_ columns: MarkedColumn...) -> RetentionRule {
        var rule = RetentionRule.old()
        rule.action = .mark(columns)
        return rule
    }

    private func marks(_ app: TemporaryStore) throws -> [String] {
        try app.texts("SELECT id || ':' || gone || ':' || coalesce(text, '-') FROM t ORDER BY id")
    }

    @Test("expired rows get the values and stay; those that have them all are done and not counted")
    func marking() throws {
        let app = try TemporaryStore(Self.schema)
        let rule = rule(MarkedColumn("gone", .integer(1)), MarkedColumn("text", .text("")))
        #expect(app.outcome(rule, dryRun: true).expired == 3)
        let report = app.outcome(rule)
        #expect(report.outcome == .done && report.expired == 3 && report.deleted == 3)
        #expect(try marks(app) == ["1:1:", "2:1:", "3:0:c", "4:1:", "5:1:"])
        #expect(app.outcome(rule).expired == 0)
    }

    @Test("done rows count neither in the table whose share is guarded nor among the newest")
    func counting() throws {
        let app = try TemporaryStore(
            """
            CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER, gone INTEGER);
            INSERT INTO t SELECT value, \(old) - value, value <= 5 FROM json_each('[1,2,3,4,5,6,7,8,9,10]');
            """)
        var rule = rule(MarkedColumn("gone", .integer(1)))
        rule.keepLast = 3
        let view = try app.store.openView(freeControl())
        let task = PruneTask(rule, start: runStart, in: .gmt)
        #expect(try view.rowCount(of: task) == 5)
        #expect(try view.ages(of: task).rows == 5)
        view.close()
        #expect(app.outcome(rule).deleted == 2)
        #expect(try app.integers("SELECT id FROM t WHERE gone = 0 ORDER BY id") == [6, 7, 8])
    }

    @Test(
        "a column that says more than that the row is gone cannot be set",
        arguments: [
            ("id", "is part of its key"), ("at", "has the rows' time"), ("twice", "is computed"),
            ("slug", "a unique index has"), ("feed", "refers to another table"), ("nothing", "has no column"),
        ])
    func refused(column: String, cause: String) throws {
        let app = try TemporaryStore(Self.schema)
        let report = app.outcome(rule(MarkedColumn(column, .integer(1))))
        #expect(report.failure?.cause.contains(cause) ?? false, "\(String(describing: report.failure))")
        #expect(try app.integers("SELECT count(*) FROM t WHERE gone = 0") == [3])
    }

    @Test("a value that a CHECK refuses, or that its column turns into another, marks nothing")
    func unfit() throws {
        let app = try TemporaryStore(Self.schema)
        let checked = app.outcome(rule(MarkedColumn("gone", .integer(7))))
        #expect(checked.outcome == .failed && checked.failure?.cause.contains("CHECK") ?? false)
        try app.execute(
            "CREATE TABLE u (id INTEGER PRIMARY KEY, at INTEGER, c INTEGER); INSERT INTO u VALUES (1, \(old), 0)"
        )
        var other = RetentionRule.old("u")
        other.action = .mark([MarkedColumn("c", .real(0.5))])
        #expect(app.outcome(other).outcome == .done)
        other.action = .mark([MarkedColumn("c", .text("1 "))])
        let report = app.outcome(other)
        #expect(
            report.outcome == .done || report.failure?.cause.contains("does not have the values") ?? false)
        #expect(try app.integers("SELECT count(*) FROM t WHERE gone = 0") == [3])
    }

    /// A CHECK that some old rows of ``checked(by:journal:)`` fail once they are marked.
    private static let refusing = [
        // Every row.
        "CHECK (gone IN (0, 1))", "CONSTRAINT sane CHECK (gone < 5)", "CHECK (twice < 10)",
        // The first old row alone, and the last one.
        "CHECK (gone = 0 OR id > 1)", "CHECK (gone = 0 OR id < 400)",
    ]

    /// A store with 400 old rows between fresh ones, the columns `gone` and `twice`, and a CHECK.
    private func checked(by check: String, journal: String) throws -> TemporaryStore {
        try TemporaryStore(
            """
            PRAGMA journal_mode = \(journal);
            CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER, gone INTEGER, twice AS (gone * 2), \(check));
            WITH RECURSIVE n(i) AS (SELECT -99 UNION ALL SELECT i + 1 FROM n WHERE i < 500)
            INSERT INTO t SELECT i, iif(i BETWEEN 1 AND 400, \(old), \(fresh)), 0 FROM n;
            """)
    }

    @Test(
        "values that a CHECK refuses fail the rule before the first batch, and each look at the rule",
        arguments: refusing, ["DELETE", "WAL"])
    func refusedByCheck(check: String, journal: String) throws {
        let app = try checked(by: check, journal: journal)
        let rule = rule(MarkedColumn("gone", .integer(7)))
        let task = PruneTask(rule, start: runStart, in: .gmt)
        let view = try app.store.openView(freeControl())
        let worker = try app.store.openWorker(freeControl())
        let errors: [StoreError?] = [
            #expect(throws: StoreError.self) { try view.checkMark(by: task) },
            #expect(throws: StoreError.self) { _ = try view.census(of: task) },
            #expect(throws: StoreError.self) { _ = try view.ages(of: task) },
            #expect(throws: StoreError.self) { _ = try worker.begin(task, accessPath: nil) },
        ]
        worker.close()
        view.close()
        for error in errors.compactMap(\.self) {
            #expect(error.kind == .schema && error.cause.contains("CHECK constraint failed"), "\(error)")
            #expect(error.setting?.description == "rule.old.action.set.gone = 7")
            #expect(error.hint?.contains("what the app itself sets") == true)
        }
        let report = app.outcome(rule)
        #expect(report.outcome == .failed && report.batches == 0 && report.failure?.setting != nil)
        #expect(try app.integers("SELECT count(*) FROM t WHERE gone = 0") == [600])
    }

    @Test(
        "a CHECK that the marked rows pass, that no old row meets, or that cannot be tried here is no error",
        arguments: [
            "CHECK (gone IN (0, 1, 7))", "CHECK (gone = 0 OR id BETWEEN 1 AND 400)",
            // The app wrote rows before it had this CHECK.
            "CHECK (id IS NULL)", "CHECK (app_defined(gone))", "CHECK (\"gone\" <> \"x\")",
        ], ["DELETE", "WAL"])
    func accepted(check: String, journal: String) throws {
        let app = try checked(by: "CHECK (1)", journal: journal)
        let sql = check.replacing("'", with: "''")
        try app.execute(
            """
            PRAGMA writable_schema = ON;
            UPDATE sqlite_schema SET sql = replace(sql, 'CHECK (1)', '\(sql)') WHERE name = 't';
            PRAGMA writable_schema = RESET;
            """)
        let task = PruneTask(rule(MarkedColumn("gone", .integer(7))), start: runStart, in: .gmt)
        let view = try app.store.openView(freeControl())
        defer { view.close() }
        try view.checkMark(by: task)
    }

    @Test("a CHECK that only rows with a lease would fail refuses nothing", arguments: ["DELETE", "WAL"])
    func leased(journal: String) throws {
        let app = try ArchivedStore(
            """
            PRAGMA journal_mode = \(journal);
            CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER, gone INTEGER, CHECK (1));
            INSERT INTO t VALUES (1, \(old), 0), (2, \(old), 0);
            """)
        var rule = RetentionRule.archiving()
        rule.action = .mark([MarkedColumn("gone", .integer(1))])
        #expect(app.prune(rule).rules[0].deleted == 2)
        #expect(try app.restore().map(\.restored) == [2])
        try app.app.execute(
            """
            PRAGMA writable_schema = ON;
            UPDATE sqlite_schema SET sql = replace(sql, 'CHECK (1)', 'CHECK (gone = 0 OR id > 2)');
            PRAGMA writable_schema = RESET;
            INSERT INTO t VALUES (3, \(old), 0);
            """)
        let report = app.prune(rule).rules[0]
        #expect(report.outcome == .done && report.deleted == 1, "\(report)")
        #expect(try app.app.integers("SELECT id FROM t WHERE gone = 1") == [3])
    }

    @Test("a trigger that writes when a row is marked fails the rule")
    func trigger() throws {
        let app = try TemporaryStore(
            Self.schema
                + "CREATE TRIGGER undo AFTER UPDATE OF gone ON t BEGIN UPDATE t SET gone = 0 WHERE id = new.id; END;"
        )
        let report = app.outcome(rule(MarkedColumn("gone", .integer(1))))
        #expect(report.failure?.cause.contains("trigger undo") ?? false)
        #expect(try app.integers("SELECT count(*) FROM t WHERE gone = 0") == [3])
    }

    @Test("a restore gives the old values back where the mark still stands, and touches nothing else")
    func restoring() throws {
        let app = try ArchivedStore(Self.schema)
        var rule = RetentionRule.archiving()
        rule.action = .mark([MarkedColumn("gone", .integer(1)), MarkedColumn("text", .text(""))])
        #expect(app.prune(rule).rules[0].deleted == 3)
        // The app unmarks one, and changes another column of the other.
        try app.app.execute("UPDATE t SET gone = 0 WHERE id = 4; UPDATE t SET feed = 1 WHERE id = 1")
        #expect(try app.restore(dryRun: true).map(\.restored) == [2])
        let restored = try app.restore()
        #expect(restored.map(\.restored) == [2] && restored[0].skipped == [.unmarked: 1])
        #expect(try marks(app.app) == ["1:0:a", "2:1:", "3:0:c", "4:0:", "5:1:e"])
        #expect(try app.app.integers("SELECT feed FROM t WHERE id = 1") == [1])
        // What was put back has a lease.
        #expect(app.prune(rule).rules[0].deleted == 1)
        #expect(try marks(app.app) == ["1:0:a", "2:1:", "3:0:c", "4:1:", "5:1:e"])
    }

    @Test(
        "a mark is not taken from another row that has the key since, even if that one is marked, too",
        arguments: [
            ("at INTEGER, title TEXT", "\(old), 'other', 1", []),
            ("at INTEGER, title TEXT", "\(old) + 1, 'first', 1", []),
            ("at INTEGER, size INTEGER", "\(old) + 1, 5, 1", []),
            ("at INTEGER, title TEXT, guid INTEGER", "\(old), 'first', 6, 1", ["guid"]),
        ])
    func otherRow(columns: String, other: String, identity: [String]) throws {
        let values = columns.contains("size") ? "5" : identity.isEmpty ? "'first'" : "'first', 5"
        let app = try ArchivedStore(
            """
            CREATE TABLE t (id INTEGER PRIMARY KEY, \(columns), gone INTEGER);
            INSERT INTO t VALUES (1, \(old), \(values), 0), (2, \(old), \(values), 0);
            """)
        var rule = RetentionRule.archiving()
        rule.action = .mark([MarkedColumn("gone", .integer(1))])
        rule.identity = identity
        #expect(app.prune(rule).rules[0].deleted == 2)
        try app.app.execute("DELETE FROM t WHERE id = 2; INSERT INTO t VALUES (2, \(other))")
        for isDry in [true, false] {
            let restored = try app.restore(dryRun: isDry)
            #expect(restored.map(\.restored) == [1] && restored[0].skipped == [.gone: 1], "\(restored)")
        }
        #expect(try app.app.integers("SELECT gone FROM t ORDER BY id") == [0, 1])
    }

    @Test("a marked row that its app has removed since cannot come back, and the restore has failed for it")
    func removed() throws {
        let app = try ArchivedStore(Self.schema)
        var rule = RetentionRule.archiving()
        rule.action = .mark([MarkedColumn("gone", .integer(1)), MarkedColumn("text", .text(""))])
        #expect(app.prune(rule).rules[0].deleted == 3)
        try app.app.execute("DELETE FROM t WHERE id = 4")
        for dryRun in [true, false] {
            let restored = try app.restore(dryRun: dryRun)
            #expect(restored.map(\.restored) == [2] && restored[0].skipped == [.gone: 1])
        }
        #expect(try app.app.integers("SELECT count(*) FROM t") == [4])
    }

    @Test("on one table, rules that delete run before rules that mark, and keep rows longer")
    func order() throws {
        var (marking, deleting) = (rule(MarkedColumn("gone", .integer(1))), RetentionRule.old(name: "z"))
        marking.name = "a"
        deleting.expiry = .age(column: "at", keep: Span(90, .day))
        let stores = [StoreDefinition(name: "s", path: "s")]
        let policy = try RetentionPolicy(timeZone: .gmt, stores: stores, rules: [marking, deleting])
        #expect(policy.rules.map(\.name) == ["z", "a"])
        deleting.expiry = .age(column: "at", keep: Span(30, .day))
        #expect(throws: PolicyError.deletesMarked(deleting: "z", marking: "a")) {
            try RetentionPolicy(timeZone: .gmt, stores: stores, rules: [marking, deleting])
        }
    }
}
