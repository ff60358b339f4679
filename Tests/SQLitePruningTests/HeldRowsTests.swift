import Pruning
import Retention
import SQLitePruning
import TestSupport
import Testing

/// Rows that rows of other tables hold by a foreign key.
struct HeldRowsTests {
    @Test(
        "rows that a trigger refuses to let go are told by plan, check, explain and run, and what is said to help helps",
        arguments: [
            "BEFORE DELETE ON t WHEN old.id = 2 BEGIN SELECT RAISE(ABORT, 'no'); END",
            "AFTER DELETE ON t FOR EACH ROW BEGIN SELECT RAISE ( ROLLBACK , 'no' ) WHERE old.id -- the second\n = 2; END",
            "BEFORE DELETE ON t WHEN old.id < 3 /* begin */ BEGIN SELECT RAISE(IGNORE) WHERE old.\"id\" > 1; END",
        ])
    func refusingTrigger(trigger: String) throws {
        let app = try TemporaryStore.ofThree("CREATE TRIGGER spares \(trigger);")
        try app.execute("UPDATE t SET at = \(old)")
        let schema = try app.texts("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL").joined(
            separator: ";\n")
        let gate = StoreGate(schema + ";", triggers: ["spares"])
        var rule = RetentionRule.old()
        for isDry in [true, false] {
            let failure = app.outcome(rule, behind: gate, dryRun: isDry).failure
            let words = trigger.contains("'no'") ? ": no" : ""
            #expect(failure?.cause == "trigger spares refuses to let 1 expired row of t go" + words)
            #expect(failure?.hint == "such rows can stay: write the trigger's condition into protect")
        }
        #expect(try app.integers("SELECT id FROM t") == [1, 2, 3])
        let view = try app.store(gate: gate).openView(freeControl())
        defer { view.close() }
        let task = PruneTask(rule, start: runStart, in: .gmt)
        let judged = try ["1", "2", "3"].map { try view.judge([$0], by: task)?.checks.map(\.allows) }
        #expect(judged == [[true, true], [true, false], [true, true]])
        rule.protect = ["t.id = 2"]
        #expect(app.outcome(rule, behind: gate, dryRun: true).expired == 2)
        #expect(app.outcome(rule, behind: gate).deleted == 2)
    }

    @Test(
        "of a trigger whose refusal only a run meets, check, plan and explain say that it may refuse rows",
        arguments: [
            (
                "BEFORE DELETE ON t BEGIN SELECT CASE old.id WHEN 2 THEN RAISE(ABORT, 'no') END; END",
                "spares on t"
            ),
            ("AFTER DELETE ON part BEGIN SELECT 1; SELECT RAISE(ABORT, 'no'); END", "spares on part"),
            ("AFTER DELETE ON t BEGIN SELECT 'raise'; END", nil),
            ("AFTER INSERT ON t BEGIN SELECT RAISE(ABORT, 'no'); END", nil),
        ])
    func triggerThatMayRefuse(trigger: String, name: String?) throws {
        let app = try TemporaryStore.ofThree(Self.parts + "CREATE TRIGGER spares \(trigger);")
        try app.execute("UPDATE t SET at = \(old)")
        let schema = try app.texts("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL").joined(
            separator: ";\n")
        let gate = StoreGate(schema + ";", triggers: ["spares"])
        var rule = RetentionRule.old()
        rule.dependents = ["part", "piece"]
        let view = try app.store(gate: gate).openView(freeControl())
        defer { view.close() }
        let task = PruneTask(rule, start: runStart, in: .gmt)
        let doubt = name.map { "trigger \($0) may refuse it, which only a run can tell" }
        #expect(
            try view.remarks(before: task)
                == (name.map { ["trigger \($0) may refuse to let rows go, which only a run can tell"] } ?? [])
        )
        #expect(try view.ages(of: task).refusing.doubt == doubt)
        #expect(try view.judge(["1"], by: task)?.refusing.doubt == doubt)
        #expect(app.outcome(rule, behind: gate).outcome == (name == nil ? .done : .failed))
    }

    private static let parts = """
        CREATE TABLE part (id INTEGER PRIMARY KEY, item INTEGER REFERENCES t ON DELETE CASCADE);
        CREATE TABLE piece (id INTEGER PRIMARY KEY, part INTEGER REFERENCES part ON DELETE CASCADE);
        INSERT INTO part VALUES (1, 1), (2, 1), (3, 2), (4, 3); INSERT INTO piece VALUES (1, 1), (2, 3), (3, 4);
        """
    @Test("a row of the rule's own table that holds one of a dependent is told before a run")
    func holdingDependents() throws {
        let app = try TemporaryStore.ofThree(
            Self.parts
                + "ALTER TABLE t ADD COLUMN cover INTEGER REFERENCES part; UPDATE t SET cover = 1 WHERE id = 3"
        )
        let rule = RetentionRule.old(dependents: ["part", "piece"])
        #expect(try app.refusal(rule).kind != .fault(.damaged))
        let failure = try #require(app.outcome(rule, dryRun: true).failure)
        #expect(
            failure.cause
                == "1 expired row of part cannot be deleted: rows of t refer to it (foreign key on cover)")
        #expect(failure.hint == nil)
    }
}
