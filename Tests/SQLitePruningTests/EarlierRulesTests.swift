import Pruning
import Retention
import SQLitePruning
import TestSupport
import Testing

/// A dry run of several rules: each counts the rows that the rules before it leave.
struct EarlierRulesTests {
    /// The rows that each rule takes: in a dry run, and then in a run.
    private func taken(
        _ app: TemporaryStore, _ rules: RetentionRule...
    ) -> (foreseen: [Int64?], taken: [Int64?]) {
        taken(app, rules)
    }

    private func taken(
        _ app: TemporaryStore, _ rules: [RetentionRule]
    ) -> (foreseen: [Int64?], taken: [Int64?]) {
        func report(dryRun: Bool) -> PruneReport {
            PruneRun.report(rules, on: [app.store], at: runStart, dryRun: dryRun)
        }
        let foreseen = report(dryRun: true).rules.map(\.expired)
        return (foreseen, report(dryRun: false).rules.map(\.deleted))
    }

    @Test(
        "a row that stays because its group has few rows is left for the next rule", arguments: [true, false])
    func smallGroups(index: Bool) throws {
        let app = try TemporaryStore(
            """
            CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER, feed INTEGER);
            \(index ? "CREATE INDEX newest ON t (feed, at);" : "")
            WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 99)
            INSERT INTO t SELECT i + 1, \(old) - i, iif(i < 60, 0, i % 10) FROM n;
            """)
        var first = RetentionRule.old(name: "a")
        (first.keepLast, first.keepLastPer) = (50, ["feed"])
        let (foreseen, taken) = taken(app, first, .old(name: "b"))
        #expect(foreseen == [14, 86])
        #expect(taken == [14, 86])
    }

    private func marking(_ name: Name, _ table: String = "t", _ columns: MarkedColumn...) -> RetentionRule {
        var rule = RetentionRule.old(table, name: name)
        rule.action = .mark(columns)
        return rule
    }

    /// Thirty old rows. `gone` and `purged` are 0, except that every third row is purged.
    private func flags(_ key: String = "", _ options: String = "") throws -> TemporaryStore {
        try TemporaryStore(
            """
            CREATE TABLE t (id INTEGER PRIMARY KEY \(key), at INTEGER, gone INTEGER, purged TEXT COLLATE NOCASE) \(options);
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30)
            INSERT INTO t SELECT i, \(old) - i, 0, iif(i % 3, 'no', 'yes') FROM n;
            """)
    }

    @Test("a row that an earlier rule marks alike is done", arguments: ["", "WITHOUT ROWID"])
    func markedAlike(options: String) throws {
        let app = try flags("NOT NULL", options)
        var first = marking("a", "t", MarkedColumn("gone", .integer(1)), MarkedColumn("purged", .text("yes")))
        first.keepLast = 10
        let half = marking("b", "t", MarkedColumn("gone", .integer(1)))
        let rest = marking("c", "t", MarkedColumn("purged", .text("yes")))
        let (foreseen, taken) = taken(
            app, first, half, rest, marking("d", "t", MarkedColumn("gone", .integer(1))))
        #expect(foreseen == [20, 10, 7, 0])
        #expect(taken == foreseen)
    }

    @Test(
        "an expression of a later rule sees the marks of an earlier one, however it names their columns",
        arguments: [
            "gone = 1", "t.gone = '1'", "\"gone\" > 0 AND rowid % 2 = id % 2", "_rowid_ = t.id AND [T].gone",
        ])
    func expressionOnMark(condition: String) throws {
        let app = try flags()
        var first = marking("a", "t", MarkedColumn("gone", .integer(1)))
        first.keepLast = 10
        var second = marking("b", "t", MarkedColumn("purged", .text("YES")))
        (second.condition, second.protect) = (condition, ["id = 17"])
        // Where the mark of the second is, but for the case of its letters.
        var third = marking("c", "t", MarkedColumn("gone", .integer(2)))
        (third.condition, third.protect) = ("purged = 'yes'", ["gone = 0"])
        let (foreseen, taken) = taken(app, first, second, third)
        #expect(foreseen == [20, 19, 19])
        #expect(taken == foreseen)
    }

    @Test("a marked row counts no more among the newest")
    func newestOfMarked() throws {
        let app = try flags()
        var first = marking("a", "t", MarkedColumn("gone", .integer(1)))
        first.condition = "id <= 5"
        var second = marking("b", "t", MarkedColumn("gone", .integer(1)))
        second.keepLast = 10
        let (foreseen, taken) = taken(app, first, second)
        #expect(foreseen == [5, 15])
        #expect(taken == foreseen)
    }

    @Test("a row that an earlier rule marks keeps the rows that it refers to")
    func markedKeeper() throws {
        let app = try TemporaryStore(
            """
            CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER, gone INTEGER);
            CREATE TABLE u (id INTEGER PRIMARY KEY, at INTEGER, gone INTEGER, t INTEGER);
            CREATE INDEX u_t ON u (t);
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30)
            INSERT INTO t SELECT i, \(old), 0 FROM n;
            INSERT INTO u SELECT id, at, 0, id FROM t WHERE id <= 20;
            """)
        let mark = MarkedColumn("gone", .integer(1))
        var first = marking("a", "u", mark)
        first.condition = "id <= 10"
        var second = marking("b", "t", mark)
        second.keptBy = [ColumnReference(table: "u", column: "t")]
        let (foreseen, taken) = taken(app, first, second)
        #expect(foreseen == [10, 10])
        #expect(taken == foreseen)
    }

    @Test(
        "a column by which another rule finds its rows cannot be set",
        arguments: [
            ("seen", "has the rows' time for rule b"), ("feed", "forms the groups of rule b"),
            ("up", "keeps the rows of rule c"),
        ])
    func setsDecidingColumn(column: String, use: String) throws {
        let app = try TemporaryStore(
            """
            CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER, seen INTEGER, feed INTEGER, up INTEGER);
            CREATE INDEX t_up ON t (up);
            CREATE TABLE u (id INTEGER PRIMARY KEY, at INTEGER);
            INSERT INTO t VALUES (1, \(old), \(fresh), 1, 1);
            """)
        let mark = marking("a", "t", MarkedColumn(column, .integer(7)))
        var other = RetentionRule.old("T", "SEEN", name: "b")
        (other.keepLast, other.keepLastPer) = (1, ["Feed"])
        let kept = RetentionRule.old(
            "u", name: "c", keptBy: ColumnReference(table: "T", column: "UP"))
        let store = SQLiteStore(
            StoreDefinition(name: "s", path: app.path), path: app.path, holder: "a test",
            rules: [mark, other, kept], monotonic: systemMonotonic)
        let reports = PruneRun.report([mark, other, kept], on: [store], at: runStart).rules
        #expect(reports.map(\.outcome) == [.failed, .done, .done])
        #expect(reports[0].failure?.cause == "action would set t.\(column), which \(use)")
        #expect(app.outcome(mark, dryRun: true).outcome == .done, "no other rule")
    }

    @Test(
        "of eight rules on a table that refers to itself each counts the rows that wait for those of another rule",
        arguments: ["NO ACTION", "CASCADE"])
    func ownReferences(action: String) throws {
        // Chains of up to twenty rows, in both directions, each in one feed.
        let app = try TemporaryStore(
            """
            CREATE TABLE f (id INTEGER PRIMARY KEY, at INTEGER);
            CREATE TABLE t (id INTEGER PRIMARY KEY, f INTEGER REFERENCES f ON DELETE CASCADE, at INTEGER, kind INTEGER,
                up INTEGER REFERENCES t ON DELETE \(action));
            CREATE INDEX t_f ON t (f); CREATE INDEX t_up ON t (up);
            WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 99)
            INSERT INTO f SELECT i, iif(i % 10 = 3, \(old), \(fresh)) FROM n;
            BEGIN; PRAGMA defer_foreign_keys = ON;
            WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 1999)
            INSERT INTO t SELECT i, i / 20, \(old), (i * i / 7 + i / 3) % 10, NULL FROM n;
            UPDATE t SET up = nullif(id + iif(f % 2, 1, -1), iif(f % 2, f * 20 + 20, f * 20 - 1)) WHERE id % 7;
            COMMIT;
            """)
        let kinds = ["1", "0, 2", "3", "1, 4", "0, 5, 6, 7", "8", "2, 6, 7, 8"]
        let names: [Name] = ["a", "b", "c", "d", "e", "f", "g"]
        var rules = zip(names, kinds).map { name, kinds in
            var rule = RetentionRule.old(name: name)
            rule.condition = "kind IN (\(kinds))"
            return rule
        }
        if action == "NO ACTION" { rules.insert(.old("f", name: "feeds", dependents: ["t"]), at: 4) }
        let (foreseen, taken) = taken(app, rules)
        #expect(foreseen == taken)
        #expect(taken.allSatisfy { $0 ?? 0 > 0 }, "\(taken)")
    }
}
