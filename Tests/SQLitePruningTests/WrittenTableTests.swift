import Pruning
import Retention
import SQLitePruning
import TestSupport
import Testing

/// A condition may not read what its rule changes, for whether a row stays must not depend on the batch before; nor what others
/// change, but for rows that they delete.
struct WrittenTableTests {
    private static let tables = """
        CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER, pinned INTEGER);
        CREATE TABLE label (item INTEGER PRIMARY KEY, kind INTEGER, at INTEGER);
        CREATE TABLE part (id INTEGER PRIMARY KEY, label INTEGER REFERENCES label ON DELETE CASCADE);
        CREATE INDEX part_label ON part (label);

        """
    private static let rows = "INSERT INTO t VALUES (1, \(old), 0); INSERT INTO label VALUES (1, 1, \(old));"
    private static let reading = "EXISTS (SELECT 1 FROM label l WHERE l.item = t.id)"

    private func rule(protect: String = Self.reading) -> RetentionRule {
        var rule = RetentionRule.old()
        rule.protect = [protect]
        return rule
    }

    /// Why `rule` fails on a store that `others` are on, too; nil if it does not.
    private func refusal(
        of rule: RetentionRule, beside others: [RetentionRule] = [], triggers: [String: String] = [:]
    ) throws -> String? {
        let schema = Self.tables + triggers.values.joined()
        let app = try TemporaryStore(schema + Self.rows)
        var definition = StoreDefinition(name: "s", path: app.path)
        definition.gate = StoreGate(schema, triggers: Set(triggers.keys))
        let store = SQLiteStore(
            definition, path: app.path, holder: "a test", rules: [rule] + others,
            monotonic: systemMonotonic)
        let report = PruneRun.report([rule], on: [store], at: runStart).rules[0]
        #expect(try app.integers("SELECT count(*) FROM t") == [1])
        return report.failure?.cause
    }

    @Test("a table from which a foreign key would delete rows that a rule does not declare")
    func undeclared() throws {
        let parts = rule(protect: "EXISTS (SELECT 1 FROM part WHERE part.label = t.id)")
        let labels = RetentionRule.old("label", name: "labels")
        #expect(try refusal(of: parts, beside: [labels])?.contains("reads part") == true)
    }

    @Test("a table whose rows a rule marks: a mark is a deletion to the app")
    func marked() throws {
        var marking = RetentionRule.old("label", name: "labels")
        marking.action = .mark([MarkedColumn("kind", .integer(0))])
        let cause = try refusal(of: rule(), beside: [marking])
        #expect(cause?.contains("reads label, whose rows rule labels marks") == true)
    }

    @Test("a table that a trigger changes with the rule's rows, or with those of another rule")
    func triggers() throws {
        let own = ["gone": "CREATE TRIGGER gone DELETE ON t BEGIN UPDATE label SET item = 0; END;"]
        let cause = try refusal(of: rule(), triggers: own)
        #expect(cause?.contains("rule old (trigger gone)") == true, "\(cause ?? "")")
        let others = [
            "gone": "CREATE TRIGGER gone DELETE ON part BEGIN DELETE FROM label WHERE item = OLD.id; END;"
        ]
        let parts = RetentionRule.old("part", "label", name: "parts")
        #expect(
            try refusal(of: rule(), beside: [parts], triggers: others)?.contains("rule parts (trigger gone)")
                == true)
    }

    @Test("columns of its own table that a trigger of another rule sets")
    func ownColumns() throws {
        let trigger = ["free": "CREATE TRIGGER free DELETE ON label BEGIN UPDATE t SET pinned = 0; END;"]
        let labels = RetentionRule.old("label", name: "labels")
        let cause = try refusal(of: rule(protect: "pinned <> 0"), beside: [labels], triggers: trigger)
        #expect(cause?.contains("reads t, which changes with the rows of rule labels") == true)
    }

    @Test("the table of the tombstones, of this rule or another one, also as a condition of a tombstone")
    func tombstones() throws {
        var leaving = RetentionRule.old()
        leaving.tombstone = Tombstone(table: "label", columns: [.init("item", from: "id")], condition: nil)
        var judging = leaving
        judging.protect = [Self.reading]
        #expect(try refusal(of: judging)?.contains("reads label, where rule old leaves tombstones") == true)
        leaving.name = "others"
        #expect(try refusal(of: rule(), beside: [leaving])?.contains("rule others leaves") == true)
        leaving.name = "old"
        leaving.tombstone = Tombstone(
            table: "label", columns: [.init("item", from: "id")], condition: "NOT " + Self.reading)
        #expect(try refusal(of: leaving)?.contains("tombstone.where = ") == true)
    }

    @Test("a table that a foreign key reaches may be read if kept_by keeps its rows")
    func kept() throws {
        let parts = rule(protect: "pinned <> 0 OR EXISTS (SELECT 1 FROM part WHERE part.label = t.id)")
        let labels = RetentionRule.old(
            "label", name: "labels", keptBy: ColumnReference(table: "part", column: "label"))
        let app = try TemporaryStore(Self.tables + Self.rows)
        let store = SQLiteStore(
            StoreDefinition(name: "s", path: app.path), path: app.path, holder: "a test",
            rules: [parts, labels], monotonic: systemMonotonic)
        #expect(PruneRun.report([parts], on: [store], at: runStart).rules[0].deleted == 1)
    }

    @Test("dependents of the row itself may be read: no other row's deletion changes them")
    func ownDependents() throws {
        let app = try TemporaryStore(
            """
            CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER);
            CREATE TABLE tag (t_id INTEGER NOT NULL REFERENCES t ON DELETE CASCADE, name TEXT, PRIMARY KEY (t_id, name));
            CREATE TABLE watched (name TEXT PRIMARY KEY);
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 4000)
            INSERT INTO t SELECT i, \(old) FROM n;
            INSERT INTO tag SELECT id, iif(id % 100 = 1, 'slow', 'quick') FROM t WHERE id % 2 = 1;
            INSERT INTO watched VALUES ('slow');
            """)
        var rule = RetentionRule.old(dependents: ["tag"])
        rule.protect = ["t.id IN (SELECT tag.t_id FROM tag JOIN watched w ON w.name = tag.name)"]
        let failure = app.outcome(rule).failure
        #expect(failure?.cause.contains("reads tag, of which rule old deletes rows") == true)
        let own = "EXISTS (SELECT 1 FROM tag WHERE tag.t_id = t.id)"
        #expect(failure?.hint == "read only the rows that belong to the row itself: " + own)
        rule.protect = ["EXISTS (SELECT 1 FROM tag x JOIN watched w ON w.name = x.name WHERE x.t_id = t.id)"]
        #expect(app.outcome(rule, dryRun: true).expired == 3_960)
        for accessPath in [AccessPath.walk, .index] {
            let report = app.outcome(rule, accessPath: accessPath)
            #expect(report.deleted == (accessPath == .walk ? 3_960 : 0), "\(report)")
        }
        #expect(try app.integers("SELECT count(*) FROM tag WHERE name = 'slow'") == [40])
        #expect(try app.integers("SELECT count(*) FROM tag") == [40])
        rule.protect = [own]
        #expect(app.outcome(rule).outcome == .done)
    }

    @Test(
        "dependents are not the row's own where other keys or comparisons find them for other rows",
        arguments: [
            "t_id INTEGER REFERENCES t ON DELETE CASCADE, other INTEGER REFERENCES t ON DELETE CASCADE",
            "t_id INTEGER COLLATE NOCASE REFERENCES t ON DELETE CASCADE",
        ])
    func othersDependents(columns: String) throws {
        let app = try TemporaryStore(
            """
            CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER); INSERT INTO t VALUES (1, \(old));
            CREATE TABLE tag (\(columns)); INSERT INTO tag (t_id) VALUES (1);
            """)
        var rule = RetentionRule.old(dependents: ["tag"])
        rule.protect = ["EXISTS (SELECT 1 FROM tag WHERE tag.t_id = t.id)"]
        let failure = app.outcome(rule).failure
        #expect(failure?.cause.contains("reads tag, of which rule old deletes rows") == true)
        #expect(failure?.hint == "what is kept must not depend on what the run changes")
    }
}
