import Pruning
import Retention
import SQLitePruning
import TestSupport
import Testing

/// Rows that rows of other tables hold by a foreign key.
struct HeldRowsTests {
    @Test(
        "a reference that holds expired rows is told before a run, and what is said to help helps",
        arguments: ["", "ON DELETE RESTRICT", "DEFERRABLE INITIALLY DEFERRED"])
    func holding(action: String) throws {
        let app = try TemporaryStore.ofThree(
            """
            CREATE TABLE label (id INTEGER PRIMARY KEY, t_id INTEGER REFERENCES t \(action));
            CREATE INDEX byT ON label (t_id); INSERT INTO label VALUES (1, 1), (2, 1), (3, 3);
            """)
        var rule = RetentionRule.old()
        #expect(try app.refusal(rule).kind != .fault(.damaged))
        let failure = try #require(app.outcome(rule, dryRun: true).failure)
        #expect(
            failure.cause
                == "1 expired row of t cannot be deleted: rows of label refer to it (foreign key on t_id)")
        #expect(failure.hint == "rows that are referred to can stay: kept_by = \"label.t_id\"")
        rule.keptBy = [ColumnReference(table: "label", column: "t_id")]
        #expect(app.outcome(rule, dryRun: true).expired == 1)
        #expect(app.outcome(rule).deleted == 1)
    }

    @Test(
        "a row that another still needs fails the rule, and nothing is lost",
        arguments: ["ON DELETE RESTRICT", "ON DELETE NO ACTION", "", "DEFERRABLE INITIALLY DEFERRED"])
    func neededRow(action: String) throws {
        let app = try TemporaryStore.ofThree(
            "CREATE TABLE child (t_id INTEGER REFERENCES t (id) \(action)); INSERT INTO child VALUES (1);")
        let report = app.outcome()
        #expect(report.outcome == .failed)
        #expect(report.deleted == 0)
        #expect(report.failure?.cause.hasPrefix("1 expired row of t cannot be deleted") == true, "\(report)")
        #expect(report.failure?.hint?.contains("kept_by = \"child.t_id\"") == true)
        #expect(try app.integers("SELECT id FROM t") == [1, 2, 3])
        #expect(try app.texts("PRAGMA integrity_check") == ["ok"])
    }

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
    private static let labelsOfParts = "CREATE TABLE labels (part INTEGER REFERENCES part"
    private static let partsBefore =
        "ALTER TABLE part ADD COLUMN before INTEGER REFERENCES part; UPDATE part SET before = 1"

    @Test(
        "a reference that holds rows of a dependent is told before a run, and what is said to help helps",
        arguments: [
            (
                labelsOfParts + "); INSERT INTO labels VALUES (1), (1), (2), (4)",
                "2 expired rows of part cannot be deleted: rows of labels refer to them (foreign key on part)",
                "part"
            ),
            (
                labelsOfParts + " ON DELETE RESTRICT); INSERT INTO labels VALUES (1)",
                "1 expired row of part cannot be deleted: rows of labels refer to it (foreign key on part)",
                "part"
            ),
            (
                "CREATE TABLE labels (piece INTEGER REFERENCES piece); INSERT INTO labels VALUES (1), (3)",
                "1 expired row of piece cannot be deleted: rows of labels refer to it (foreign key on piece)",
                nil
            ),
            (
                partsBefore + " WHERE id > 1",
                "1 expired row of part cannot be deleted: rows of part refer to it (foreign key on before)",
                nil
            ),
            (
                "ALTER TABLE t ADD COLUMN cover INTEGER REFERENCES part; UPDATE t SET cover = 1 WHERE id = 3",
                "1 expired row of part cannot be deleted: rows of t refer to it (foreign key on cover)",
                nil
            ),
        ] as [(String, String, String?)])
    func holdingDependents(sql: String, cause: String, column: String?) throws {
        let app = try TemporaryStore.ofThree(Self.parts + sql)
        var rule = RetentionRule.old(dependents: ["part", "piece"])
        rule.protect = ["id = 900"]
        #expect(try app.refusal(rule).kind != .fault(.damaged))
        let failure = try #require(app.outcome(rule, dryRun: true).failure)
        #expect(failure.cause == cause)
        let help = column.map {
            "EXISTS (SELECT 1 FROM part own WHERE own.item = t.id AND EXISTS (SELECT 1 FROM labels other WHERE other.\($0) = own.id))"
        }
        #expect(
            failure.hint
                == help.map { "rows that are referred to can stay: protect = [\"id = 900\", \"\($0)\"]" })
        guard let help else { return }
        rule.protect.append(help)
        #expect(app.outcome(rule, dryRun: true).expired == 1)
        let report = app.outcome(rule)
        #expect(report.deleted == 1 && report.dependentsDeleted == 2, "\(report)")
    }

    @Test(
        "dependents are not held by rows that go with them or stay elsewhere",
        arguments: [
            labelsOfParts + "); INSERT INTO labels VALUES (4), (NULL)", partsBefore + " WHERE id = 2",
            partsBefore + " WHERE id = 4; UPDATE part SET item = 3 WHERE id = 1",
        ])
    func freeDependents(sql: String) throws {
        let app = try TemporaryStore.ofThree(Self.parts + sql)
        for dryRun in [true, false] {
            let report = app.outcome(.old(dependents: ["part", "piece"]), dryRun: dryRun)
            #expect(report.outcome == .done && report.expired == 2, "\(report)")
        }
    }

    @Test("rows that an earlier rule takes hold nothing")
    func takenHolders() throws {
        let app = try TemporaryStore.ofThree(
            Self.parts + Self.labelsOfParts
                + ", at INTEGER); INSERT INTO labels VALUES (1, \(old)), (4, \(fresh))")
        let rules = [RetentionRule.old("labels", name: "a"), .old(name: "b", dependents: ["part", "piece"])]
        for dryRun in [true, false] {
            let reports = PruneRun.report(rules, on: [app.store], at: runStart, dryRun: dryRun).rules
            #expect(reports.map(\.expired) == [1, 2] && reports[1].outcome == .done, "\(reports)")
        }
    }
}
