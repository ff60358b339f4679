import Pruning
import Retention
import SQLitePruning
import TestSupport
import Testing

/// What a DELETE reaches beyond the rule's own rows.
struct ReachTests {
    private static let cascade = """
        CREATE TABLE child (id INTEGER PRIMARY KEY, t_id INTEGER REFERENCES t (id) ON DELETE CASCADE);
        INSERT INTO child VALUES (1, 1), (2, 1), (3, 2), (4, 3), (5, NULL);
        """

    @Test("rows that go by a declared cascade are counted", arguments: ["child", "CHILD"])
    func declared(name: String) throws {
        let app = try TemporaryStore.ofThree(Self.cascade)
        let report = app.outcome(.old(dependents: [name]))
        #expect(report.outcome == .done)
        #expect(report.deleted == 2)
        #expect(report.dependentsDeleted == 3)
        #expect(try app.integers("SELECT id FROM child ORDER BY id") == [4, 5])
    }

    @Test("a cascade that comes back to the rule's table through a dependent is refused")
    func cycle() throws {
        let app = try TemporaryStore(
            """
            CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER, c_id INTEGER REFERENCES child (id) ON DELETE CASCADE);
            CREATE TABLE child (id INTEGER PRIMARY KEY, t_id INTEGER REFERENCES t (id) ON DELETE CASCADE);
            INSERT INTO t VALUES (1, \(old), NULL);
            INSERT INTO child VALUES (7, 1);
            INSERT INTO t VALUES (2, \(fresh), 7);
            """)
        let failure = try app.refusal(.old(dependents: ["child"]))
        #expect(failure.kind == .fault(.schema))
        #expect(failure.cause.contains("delete other rows of t "))
    }

    @Test(
        "a trigger that writes is refused and named, whatever it writes",
        arguments: [
            ("INSERT INTO log VALUES (OLD.id)", "insert rows of log"),
            ("UPDATE log SET x = x + 1", "update rows of log"),
            ("DELETE FROM log", "delete rows of log"),
            ("DELETE FROM t WHERE id = 3", "delete rows of t "),
            ("UPDATE t SET at = 0", "update rows of t "),
            ("DELETE FROM log; DELETE FROM t", "rows of"),
        ])
    func writingTrigger(action: String, cause: String) throws {
        for time in ["BEFORE", "AFTER"] {
            let app = try TemporaryStore.ofThree(
                """
                CREATE TABLE log (x); INSERT INTO log VALUES (0);
                CREATE TRIGGER watcher \(time) DELETE ON t BEGIN \(action); END;
                """)
            let failure = try app.refusal()
            #expect(failure.kind == .fault(.schema))
            #expect(failure.cause.contains(cause))
            #expect(failure.cause.contains("trigger watcher"))
            #expect(try app.integers("SELECT x FROM log") == [0])
        }
    }

    @Test("a trigger that deletes from the rule's own table is refused although there are dependents")
    func ownTableByTrigger() throws {
        let app = try TemporaryStore.ofThree(
            Self.cascade + "CREATE TRIGGER greedy AFTER DELETE ON t BEGIN DELETE FROM t WHERE id = 3; END;")
        #expect(try app.refusal(.old(dependents: ["child"])).cause.contains("trigger greedy"))
        #expect(try app.integers("SELECT id FROM t") == [1, 2, 3])
    }

    @Test(
        "a trigger is refused although it deletes from a declared dependent: it may delete what belongs to others"
    )
    func dependentsByTrigger() throws {
        let app = try TemporaryStore.ofThree(
            Self.cascade + "CREATE TRIGGER greedy AFTER DELETE ON t BEGIN DELETE FROM child; END;")
        let before = try app.integers("SELECT count(*) FROM child")
        #expect(try app.refusal(.old(dependents: ["child"])).cause.contains("trigger greedy"))
        #expect(try app.integers("SELECT count(*) FROM child") == before)
    }

    @Test("a dependent's own trigger is part of the reach")
    func dependentsTrigger() throws {
        let app = try TemporaryStore.ofThree(
            Self.cascade
                + "CREATE TABLE log (x); CREATE TRIGGER deep AFTER DELETE ON child BEGIN INSERT INTO log VALUES (1); END;"
        )
        let failure = try app.refusal(.old(dependents: ["child"]))
        #expect(failure.cause.contains("insert rows of log"))
        #expect(failure.cause.contains("trigger deep"))
    }

    @Test(
        "a trigger that may leave a row as it is fails the rule, also one of a dependent's table",
        arguments: ["t", "t WHEN OLD.id IN (5, 900)", "child"])
    func ignoringTrigger(table: String) throws {
        let app = try TemporaryStore.ofThree(
            Self.cascade + "CREATE TRIGGER guard BEFORE DELETE ON \(table) BEGIN SELECT RAISE(IGNORE); END;")
        let cause = try app.refusal(.old(dependents: ["child"])).cause
        #expect(cause == "trigger guard may leave rows of t as they are (RAISE(IGNORE))")
    }

    @Test("a trigger that objects fails the rule with its words", arguments: ["ABORT", "FAIL", "ROLLBACK"])
    func abortingTrigger(way: String) throws {
        let app = try TemporaryStore.ofThree(
            "CREATE TRIGGER guard BEFORE DELETE ON t WHEN OLD.id = 1 BEGIN SELECT RAISE(\(way), 'not that one'); END;"
        )
        let report = app.outcome()
        #expect(report.outcome == .failed)
        #expect(report.deleted == 0)
        #expect(report.failure?.cause == "trigger guard refuses to let 1 expired row of t go: not that one")
        #expect(try app.integers("SELECT id FROM t") == [1, 2, 3])
        var rule = RetentionRule.old()
        rule.protect = ["id = 1"]
        #expect(app.outcome(rule).deleted == 1)
    }

    @Test("two tables whose names differ in their normalization alone are two")
    func normalization() throws {
        let (composed, decomposed) = ("caf\u{e9}", "cafe\u{301}")
        let app = try TemporaryStore(
            """
            CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER);
            CREATE TABLE "\(composed)" (t_id INTEGER REFERENCES t (id) ON DELETE CASCADE);
            CREATE TABLE "\(decomposed)" (t_id INTEGER REFERENCES t (id) ON DELETE CASCADE);
            INSERT INTO t VALUES (1, \(old)); INSERT INTO "\(composed)" VALUES (1);
            """)
        for name in [composed, decomposed] {
            let report = app.outcome(.old(dependents: [name]))
            #expect(report.failure?.cause.contains("which the rule does not declare") == true, "\(report)")
        }
        #expect(try app.integers("SELECT count(*) FROM t") == [1])
    }
}
