import Pruning
import Retention
import SQLitePruning
import TestSupport
import Testing

/// What a DELETE reaches beyond the rule's own rows.
struct ReachTests {
    /// A table `t` with two expired rows and one that is not, and whatever else.
    private func store(_ sql: String, columns: String = "") throws -> TemporaryStore {
        try TemporaryStore(
            """
            CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER\(columns));
            INSERT INTO t (id, at) VALUES (1, \(old)), (2, \(old)), (3, \(fresh));
            \(sql)
            """)
    }

    private static let cascade = """
        CREATE TABLE child (id INTEGER PRIMARY KEY, t_id INTEGER REFERENCES t (id) ON DELETE CASCADE);
        INSERT INTO child VALUES (1, 1), (2, 1), (3, 2), (4, 3), (5, NULL);
        """
    private static let grandchildren = """
        CREATE TABLE grandchild (id INTEGER PRIMARY KEY, c_id INTEGER REFERENCES child (id) ON DELETE CASCADE);
        INSERT INTO grandchild VALUES (1, 1), (2, 3), (3, 4);
        """

    private func refusal(_ app: TemporaryStore, _ rule: RetentionRule = .old()) throws -> Halt {
        let before = try app.integers("SELECT id FROM t ORDER BY id")
        for dryRun in [true, false] {
            let report = app.outcome(rule, dryRun: dryRun)
            #expect(report.outcome == .failed)
            #expect(report.deleted == 0)
        }
        #expect(try app.integers("SELECT id FROM t ORDER BY id") == before)
        return try #require(app.outcome(rule).failure)
    }

    @Test("a cascade that is not declared fails the rule, and the table is named")
    func undeclared() throws {
        let failure = try refusal(store(Self.cascade))
        #expect(failure.kind == .fault(.schema))
        #expect(failure.cause.contains("delete rows of child"))
        #expect(
            failure.hint
                == "if those rows belong to them, write dependents = [\"child\"]; if they keep them, kept_by = \"child.t_id\""
        )
    }

    @Test(
        "a reference that holds expired rows is told before a run, and what is said to help helps",
        arguments: ["", "ON DELETE RESTRICT", "DEFERRABLE INITIALLY DEFERRED"])
    func holding(action: String) throws {
        let app = try store(
            """
            CREATE TABLE label (id INTEGER PRIMARY KEY, t_id INTEGER REFERENCES t \(action));
            CREATE INDEX byT ON label (t_id); INSERT INTO label VALUES (1, 1), (2, 1), (3, 3);
            """)
        var rule = RetentionRule.old()
        #expect(try refusal(app, rule).kind != .fault(.damaged))
        let failure = try #require(app.outcome(rule, dryRun: true).failure)
        #expect(
            failure.cause
                == "1 expired row of t cannot be deleted: rows of label refer to it (foreign key on t_id)")
        #expect(failure.hint == "rows that are referred to can stay: kept_by = \"label.t_id\"")
        rule.keptBy = [ColumnReference(table: "label", column: "t_id")]
        #expect(app.outcome(rule, dryRun: true).expired == 1)
        #expect(app.outcome(rule).deleted == 1)
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
        let app = try store(Self.parts + sql)
        var rule = RetentionRule.old(dependents: ["part", "piece"])
        rule.protect = ["id = 900"]
        #expect(try refusal(app, rule).kind != .fault(.damaged))
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
        let app = try store(Self.parts + sql)
        for dryRun in [true, false] {
            let report = app.outcome(.old(dependents: ["part", "piece"]), dryRun: dryRun)
            #expect(report.outcome == .done && report.expired == 2, "\(report)")
        }
    }

    @Test("rows that an earlier rule takes hold nothing")
    func takenHolders() throws {
        let app = try store(
            Self.parts + Self.labelsOfParts
                + ", at INTEGER); INSERT INTO labels VALUES (1, \(old)), (4, \(fresh))")
        let rules = [RetentionRule.old("labels", name: "a"), .old(name: "b", dependents: ["part", "piece"])]
        for dryRun in [true, false] {
            let reports = PruneRun.report(rules, on: [app.store], at: runStart, dryRun: dryRun).rules
            #expect(reports.map(\.expired) == [1, 2] && reports[1].outcome == .done, "\(reports)")
        }
    }

    @Test("rows that go by a declared cascade are counted", arguments: ["child", "CHILD"])
    func declared(name: String) throws {
        let app = try store(Self.cascade)
        let report = app.outcome(.old(dependents: [name]))
        #expect(report.outcome == .done)
        #expect(report.deleted == 2)
        #expect(report.dependentsDeleted == 3)
        #expect(try app.integers("SELECT id FROM child ORDER BY id") == [4, 5])
    }

    @Test("a cascade of two levels must be declared as a whole")
    func twoLevels() throws {
        let app = try store(Self.cascade + Self.grandchildren)
        #expect(try refusal(app, .old(dependents: ["child"])).cause.contains("delete rows of grandchild"))
        let report = app.outcome(.old(dependents: ["child", "grandchild"]))
        #expect(report.deleted == 2)
        #expect(report.dependentsDeleted == 5)
        #expect(try app.integers("SELECT id FROM grandchild") == [3])
    }

    @Test("a declared dependent that no DELETE reaches is an error")
    func stranger() throws {
        let failure = try refusal(store("CREATE TABLE child (t_id);"), .old(dependents: ["child"]))
        #expect(failure.kind == .fault(.schema))
        #expect(failure.cause.contains("rows of child would not be deleted"))
    }

    @Test(
        "a foreign key that changes rows never does so if kept_by names it",
        arguments: ["SET NULL", "SET DEFAULT"])
    func keptUpdate(action: String) throws {
        let app = try store(
            """
            CREATE TABLE child (t_id INTEGER DEFAULT 3 REFERENCES t (id) ON DELETE \(action),
                other INTEGER \(action == "SET NULL" ? "" : "REFERENCES t (id) ON DELETE CASCADE"));
            INSERT INTO child VALUES (1, NULL), (3, NULL);
            """)
        var rule = RetentionRule.old(keptBy: ColumnReference(table: "child", column: "t_id"))
        if action == "SET DEFAULT" {
            #expect(try refusal(app, rule).cause.contains("rows of child"))
            rule.keptBy.append(ColumnReference(table: "child", column: "other"))
        }
        let report = app.outcome(rule)
        #expect(report.deleted == 1 && report.outcome == .done, "\(report)")
        #expect(try app.integers("SELECT id FROM t ORDER BY id") == [1, 3])
        #expect(try app.integers("SELECT t_id FROM child ORDER BY t_id") == [1, 3])
    }

    @Test(
        "rows that refer to others of their table go first, and a row stays while a younger one needs it, whatever the key does",
        arguments: [
            "", "ON DELETE RESTRICT", "ON DELETE SET NULL", "ON DELETE CASCADE",
            "DEFERRABLE INITIALLY DEFERRED",
        ], [AccessPath.walk, .index])
    func ownKey(action: String, accessPath: AccessPath) throws {
        // Chains of ten, whose links have ascending or descending ids. A fresh row refers to the fourth of chain 3.
        let app = try TemporaryStore(
            """
            CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER, up INTEGER REFERENCES t (id) \(action));
            CREATE INDEX t_at ON t (at); CREATE INDEX t_up ON t (up);
            PRAGMA defer_foreign_keys = ON; BEGIN;
            WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 1999)
            INSERT INTO t SELECT i, \(old) - 5000 + i, iif(i % 10 = 9, NULL, i + 1) FROM n WHERE i / 10 % 2 = 0
            UNION ALL SELECT i, \(old) - i, iif(i % 10 = 0, NULL, i - 1) FROM n WHERE i / 10 % 2 = 1;
            INSERT INTO t VALUES (5000, \(fresh), 34), (5001, \(old), 5001); COMMIT;
            """)
        let view = try app.store.openView(freeControl())
        defer { view.close() }
        let task = PruneTask(.old(), start: runStart, in: .gmt)
        #expect(
            try view.remarks(before: task) == [
                "5 expired rows of t stay: rows that stay refer to them by t.up, which only the app can clear"
            ])
        let ages = try view.ages(of: task)
        #expect(ages.census.expired == 1_996)
        #expect(ages.stay.rows == [.referredTo("t.up"): 5])
        #expect(try view.judge(["33"], by: task)?.checks.last?.allows == false)
        #expect(try view.judge(["35"], by: task)?.checks.last?.allows == true)
        let worker = try app.store.openWorker(freeControl())
        defer { worker.close() }
        let begun = try worker.begin(task, accessPath: accessPath, tellsRows: true)
        #expect(begun.census.expired == 1_996)
        var gone: [BatchResult] = []
        repeat { gone.append(try worker.deleteBatch(rows: 300)) } while !gone[gone.count - 1].isLast
        #expect(gone.map(\.deleted).reduce(0, +) == 1_996)
        #expect(gone.map(\.dependentsDeleted).reduce(0, +) == 0)
        #expect(gone.compactMap(\.fingerprint).reduce(RowsFingerprint()) { $0 + $1 } == begun.rows)
        #expect(try worker.shortfall() == nil)
        #expect(try app.integers("SELECT id FROM t ORDER BY id") == [30, 31, 32, 33, 34, 5000])
        #expect(try app.integers("SELECT count(*) FROM pragma_foreign_key_check") == [0])
        #expect(app.outcome().outcome == .done)
    }

    /// Deletes the rows of a table in batches of `rows`. `up` is SQL for the row that row i of 3,000 refers to.
    private func batches(of rows: Int, up: String, action: String = "") throws -> (
        batches: [BatchResult], shortfall: StoreError?
    ) {
        let app = try TemporaryStore(
            """
            CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER, up INTEGER REFERENCES t (id) \(action));
            CREATE INDEX t_up ON t (up); BEGIN; PRAGMA defer_foreign_keys = ON;
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
            INSERT INTO t SELECT i, \(old), iif(\(up) BETWEEN 1 AND 3000, \(up), NULL) FROM n;
            COMMIT;
            """)
        let worker = try app.store.openWorker(freeControl())
        defer { worker.close() }
        let begun = try worker.begin(
            PruneTask(.old(), start: runStart, in: .gmt), accessPath: .walk, tellsRows: false)
        #expect(begun.census.expired == 3_000)
        var gone: [BatchResult] = []
        repeat { gone.append(try worker.deleteBatch(rows: rows)) } while !gone[gone.count - 1].isLast
        #expect(try app.integers("SELECT count(*) FROM t")[0] == 3_000 - gone.map(\.deleted).reduce(0, +))
        return (gone, try worker.shortfall())
    }

    @Test(
        "a long chain of rows goes in one walk, or in two",
        arguments: [
            ("i - 1", "", 1), ("i - i % 2 * 50 - 1", "", 1), ("i + 1", "", 2),
            ("i - 100", "ON DELETE RESTRICT", 1), ("i + 100", "ON DELETE CASCADE", 2),
        ])
    func chain(up: String, action: String, walks: Int) throws {
        let (batches, shortfall) = try batches(of: 100, up: up, action: action)
        #expect(batches.map(\.deleted).reduce(0, +) == 3_000 && shortfall == nil)
        #expect(batches.count <= 30 * walks)
    }

    @Test("rows that refer to each other in a circle go if they fit into a batch", arguments: [3_000, 2_999])
    func circleInBatch(rows: Int) throws {
        let (batches, shortfall) = try batches(of: rows, up: "i % 3000 + 1")
        #expect(batches.map(\.deleted).reduce(0, +) == (rows == 3_000 ? 3_000 : 0))
        #expect((shortfall == nil) == (rows == 3_000))
        #expect(shortfall?.hint?.contains("in a circle") ?? true)
    }

    @Test("a foreign key that changes rows cannot be declared", arguments: ["SET NULL", "SET DEFAULT"])
    func update(action: String) throws {
        let app = try store(
            "CREATE TABLE child (t_id INTEGER DEFAULT 3 REFERENCES t (id) ON DELETE \(action)); INSERT INTO child VALUES (1);"
        )
        for dependents in [[], ["child"]] as [Set<String>] {
            let failure = try refusal(app, .old(dependents: dependents))
            #expect(failure.kind == .fault(.schema))
            #expect(failure.cause.contains("update rows of child"))
            #expect(failure.hint == "rows that are referred to can stay: kept_by = \"child.t_id\"")
        }
        #expect(try app.integers("SELECT t_id FROM child") == [1])
    }

    @Test(
        "a row that another still needs fails the rule, and nothing is lost",
        arguments: ["ON DELETE RESTRICT", "ON DELETE NO ACTION", "", "DEFERRABLE INITIALLY DEFERRED"])
    func neededRow(action: String) throws {
        let app = try store(
            "CREATE TABLE child (t_id INTEGER REFERENCES t (id) \(action)); INSERT INTO child VALUES (1);")
        let report = app.outcome()
        #expect(report.outcome == .failed)
        #expect(report.deleted == 0)
        #expect(report.failure?.cause.hasPrefix("1 expired row of t cannot be deleted") == true, "\(report)")
        #expect(report.failure?.hint?.contains("kept_by = \"child.t_id\"") == true)
        #expect(try app.integers("SELECT id FROM t") == [1, 2, 3])
        #expect(try app.texts("PRAGMA integrity_check") == ["ok"])
    }

    @Test("rows of the rule's own table that a cascade would take along are not the rule's rows")
    func ownTable() throws {
        let app = try TemporaryStore(
            """
            CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER, parent INTEGER REFERENCES t (id) ON DELETE CASCADE);
            CREATE TABLE child (t_id INTEGER REFERENCES t (id) ON DELETE CASCADE);
            INSERT INTO t VALUES (1, \(old), NULL), (2, \(fresh), 1), (3, \(fresh), NULL), (4, \(old), NULL), (5, \(old), 4);
            INSERT INTO child VALUES (1), (2), (4), (5);
            """)
        // Not even when somebody says so: the others may not have expired.
        let declared = try refusal(app, .old(dependents: ["child", "t"]))
        #expect(declared.cause.contains("delete other rows of t "))
        let view = try app.store.openView(freeControl())
        defer { view.close() }
        let rule = RetentionRule.old(dependents: ["child"])
        #expect(try view.ages(of: PruneTask(rule, start: runStart, in: .gmt)).dependents == 2)
        let report = app.outcome(rule)
        #expect(report.deleted == 2 && report.dependentsDeleted == 2 && report.outcome == .done)
        #expect(try app.integers("SELECT id FROM t") == [1, 2, 3])
    }

    @Test(
        "expired rows that refer to each other in a circle fail the rule, which says so, and nothing is lost")
    func circle() throws {
        let app = try TemporaryStore(
            """
            CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER, up INTEGER REFERENCES t (id) ON DELETE RESTRICT);
            INSERT INTO t VALUES (1, \(old), NULL), (2, \(old), NULL), (3, \(old), 1), (4, \(fresh), NULL);
            UPDATE t SET up = 2 WHERE id = 1; UPDATE t SET up = 1 WHERE id = 2;
            """)
        let report = app.outcome()
        #expect(report.deleted == 1 && report.outcome == .failed)
        #expect(report.failure?.hint?.contains("in a circle") == true)
        #expect(try app.integers("SELECT id FROM t") == [1, 2, 4])
        let next = app.outcome()
        #expect(next.deleted == 0 && next.failure?.hint?.contains("in a circle") == true, "\(next)")
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
        let failure = try refusal(app, .old(dependents: ["child"]))
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
            let app = try store(
                """
                CREATE TABLE log (x); INSERT INTO log VALUES (0);
                CREATE TRIGGER watcher \(time) DELETE ON t BEGIN \(action); END;
                """)
            let failure = try refusal(app)
            #expect(failure.kind == .fault(.schema))
            #expect(failure.cause.contains(cause))
            #expect(failure.cause.contains("trigger watcher"))
            #expect(try app.integers("SELECT x FROM log") == [0])
        }
    }

    @Test("a trigger that deletes from the rule's own table is refused although there are dependents")
    func ownTableByTrigger() throws {
        let app = try store(
            Self.cascade + "CREATE TRIGGER greedy AFTER DELETE ON t BEGIN DELETE FROM t WHERE id = 3; END;")
        #expect(try refusal(app, .old(dependents: ["child"])).cause.contains("trigger greedy"))
        #expect(try app.integers("SELECT id FROM t") == [1, 2, 3])
    }

    @Test(
        "a trigger is refused although it deletes from a declared dependent: it may delete what belongs to others"
    )
    func dependentsByTrigger() throws {
        let app = try store(
            Self.cascade + "CREATE TRIGGER greedy AFTER DELETE ON t BEGIN DELETE FROM child; END;")
        let before = try app.integers("SELECT count(*) FROM child")
        #expect(try refusal(app, .old(dependents: ["child"])).cause.contains("trigger greedy"))
        #expect(try app.integers("SELECT count(*) FROM child") == before)
    }

    @Test("a dependent's own trigger is part of the reach")
    func dependentsTrigger() throws {
        let app = try store(
            Self.cascade
                + "CREATE TABLE log (x); CREATE TRIGGER deep AFTER DELETE ON child BEGIN INSERT INTO log VALUES (1); END;"
        )
        let failure = try refusal(app, .old(dependents: ["child"]))
        #expect(failure.cause.contains("insert rows of log"))
        #expect(failure.cause.contains("trigger deep"))
    }

    @Test(
        "a trigger that may leave a row as it is fails the rule, also one of a dependent's table",
        arguments: ["t", "t WHEN OLD.id IN (5, 900)", "child"])
    func ignoringTrigger(table: String) throws {
        let app = try store(
            Self.cascade + "CREATE TRIGGER guard BEFORE DELETE ON \(table) BEGIN SELECT RAISE(IGNORE); END;")
        let cause = try refusal(app, .old(dependents: ["child"])).cause
        #expect(cause == "trigger guard may leave rows of t as they are (RAISE(IGNORE))")
    }

    @Test("a trigger that objects fails the rule with its words", arguments: ["ABORT", "FAIL", "ROLLBACK"])
    func abortingTrigger(way: String) throws {
        let app = try store(
            "CREATE TRIGGER guard BEFORE DELETE ON t WHEN OLD.id = 1 BEGIN SELECT RAISE(\(way), 'not that one'); END;"
        )
        let report = app.outcome()
        #expect(report.outcome == .failed)
        #expect(report.deleted == 0)
        #expect(report.failure?.cause == "trigger guard on t refuses it: not that one")
        #expect(try app.integers("SELECT id FROM t") == [1, 2, 3])
        var rule = RetentionRule.old()
        rule.protect = ["id = 1"]
        #expect(app.outcome(rule).deleted == 1)
    }

    @Test("what an app inserts meanwhile into a table that refers to itself fails no run")
    func besideAnApp() throws {
        let app = try TemporaryStore(
            """
            CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER, up INTEGER REFERENCES t (id));
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
                INSERT INTO t SELECT i, \(old), nullif(i / 2, 0) FROM n;
            """)
        let report = app.prune(.old()) { event in
            guard case .batchCommitted(let report, _) = event, report.batches == 1 else { return }
            try? app.execute(
                "DELETE FROM t WHERE id = (SELECT max(id) FROM t); INSERT INTO t VALUES (9000, \(old), NULL)")
        }.rules[0]
        #expect(report.outcome == .done && report.deleted == 2_999, "\(report)")
        #expect(try app.integers("SELECT id FROM t") == [9000])
    }
}
