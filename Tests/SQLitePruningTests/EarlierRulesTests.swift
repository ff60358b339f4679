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

    private func marking(_ name: Name, _ table: String = "t", _ columns: MarkedColumn...) -> RetentionRule {
        var rule = RetentionRule.old(table, name: name)
        rule.action = .mark(columns)
        return rule
    }

    /// Thirty old rows. `gone` and `purged` are 0, except that every third row is purged.
    private func flags() throws -> TemporaryStore {
        try TemporaryStore(
            """
            CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER, gone INTEGER, purged TEXT COLLATE NOCASE);
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30)
            INSERT INTO t SELECT i, \(old) - i, 0, iif(i % 3, 'no', 'yes') FROM n;
            """)
    }

    @Test(
        "a condition of a later rule sees the marks of an earlier one, however it names their columns",
        arguments: [
            "gone = 1", "t.gone <> 0", "\"gone\" > 0 AND rowid = id", "rowid = t.id AND \"T\".gone IN (1, 2)",
        ])
    func conditionOnMark(condition: String) throws {
        let app = try flags()
        var first = marking("a", "t", MarkedColumn("gone", .integer(1)))
        first.keepLast = 10
        var second = marking("b", "t", MarkedColumn("purged", .text("YES")))
        (second.condition, second.protect) = (condition, ["id = 17"])
        var third = marking("c", "t", MarkedColumn("gone", .integer(2)))
        (third.condition, third.protect) = ("purged = 'YES'", ["gone = 0"])
        let (foreseen, taken) = taken(app, first, second, third)
        #expect(foreseen == [20, 19, 19])
        #expect(taken == foreseen)
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
