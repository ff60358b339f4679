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
