import Pruning
import Retention
import TestSupport
import Testing

@testable import PostgreSQLPruning

@Suite("Rows that others hold by a foreign key, or a trigger keeps")
struct HeldRowsTests {
    private func rule() -> RetentionRule {
        RetentionRule(
            name: "old", store: "s", table: "t", expiry: .age(column: "at", keep: Span(30, .day)),
            holdLimits: .noneAtAll)
    }

    private static let rows =
        "SELECT i, CASE WHEN i <= 20 THEN timestamptz '2026-10-01' + i * interval '1 minute' ELSE '2026-11-19' END"

    @Test(
        "a reference that holds expired rows is told before a run, and what is said to help helps",
        arguments: [
            ("item int REFERENCES t", "kept_by = \"labels.item\""),
            ("item int REFERENCES t ON DELETE RESTRICT", "kept_by = \"labels.item\""),
            ("item int REFERENCES t DEFERRABLE INITIALLY DEFERRED", "kept_by = \"labels.item\""),
            (
                "item int REFERENCES t (other)",
                "protect = [\"EXISTS (SELECT 1 FROM labels other WHERE other.item = t.other)\"]"
            ),
        ])
    func holding(column: String, help: String) throws {
        let database = try OwnedDatabase(
            """
            CREATE TABLE t (id int PRIMARY KEY, at timestamptz, other int UNIQUE);
            INSERT INTO t \(Self.rows), i FROM generate_series(1, 40) i;
            CREATE TABLE labels (\(column)); CREATE INDEX ON labels (item); INSERT INTO labels VALUES (3), (3), (7), (35)
            """)
        var rule = rule()
        let report = try database.outcome(rule, dryRun: true)
        #expect(
            report.failure?.cause
                == "2 expired rows of t cannot be deleted: rows of labels refer to them (foreign key labels_item_fkey)",
            "\(report)")
        #expect(report.failure?.hint == "rows that are referred to can stay: \(help)", "\(report)")
        if help.hasPrefix("kept_by") {
            rule.keptBy = [ColumnReference(table: "labels", column: "item")]
        } else {
            rule.protect = [String(help.dropFirst("protect = [\"".count).dropLast(2))]
        }
        #expect(try database.outcome(rule, dryRun: true).expired == 18)
        #expect(try database.outcome(rule).deleted == 18)
    }

    @Test("rows are looked for by the collation of the column that they refer to")
    func collation() throws {
        let database = try OwnedDatabase(
            """
            CREATE TABLE t (id text COLLATE "C" PRIMARY KEY, at timestamptz);
            INSERT INTO t \(Self.rows) FROM generate_series(1, 40) i;
            CREATE TABLE labels (item text COLLATE "POSIX" REFERENCES t); INSERT INTO labels VALUES ('35')
            """)
        #expect(try database.outcome(rule(), dryRun: true).expired == 20)
        #expect(try database.outcome(rule()).deleted == 20)
    }

    @Test(
        "an expired row to which a row of its table refers that stays fails the check, the plan and the run alike"
    )
    func ownKey() throws {
        let database = try OwnedDatabase(
            """
            CREATE TABLE t (id int PRIMARY KEY, at timestamptz, up int REFERENCES t); CREATE INDEX ON t (up);
            INSERT INTO t \(Self.rows) FROM generate_series(1, 40) i; UPDATE t SET up = 3 WHERE id = 30
            """)
        let reports = try [true, false].map { try database.outcome(rule(), dryRun: $0) }
        let cause =
            "1 expired row of t cannot be deleted: rows of it that stay refer to it (foreign key t_up_fkey)"
        #expect(reports.allSatisfy { $0.outcome == .failed && $0.failure?.cause == cause }, "\(reports)")
        #expect(
            reports[0].failure?.hint == "leave such a table to its app, which can clear up first")
        try database.psql("UPDATE t SET up = 3 WHERE id = 4; UPDATE t SET up = NULL WHERE id = 30")
        #expect(try database.outcome(rule()).deleted == 20, "both go in one batch")
    }

    @Test(
        "a trigger that keeps rows, or refuses their deletion, fails the batch by name, and no tombstone is left",
        arguments: [
            (
                "RETURN NULL",
                "a trigger kept 1 expired row of t (guard); the batch was rolled back"
            ),
            ("RAISE 'not %', OLD.id", "trigger guard on t refuses it: not 7"),
        ], [AccessPath.index, .walk])
    func keepingTrigger(does: (body: String, cause: String), accessPath: AccessPath) throws {
        let database = try OwnedDatabase(
            """
            CREATE TABLE t (id int PRIMARY KEY, at timestamptz); CREATE INDEX ON t (at);
            CREATE TABLE gone (id int PRIMARY KEY);
            INSERT INTO t \(Self.rows) FROM generate_series(1, 40) i;
            CREATE FUNCTION kept() RETURNS trigger LANGUAGE plpgsql AS
            $$ BEGIN IF OLD.id = 7 THEN \(does.body); END IF; RETURN OLD; END $$;
            CREATE TRIGGER guard BEFORE DELETE ON t FOR EACH ROW EXECUTE FUNCTION kept();
            """)
        let text = try database.transaction { try CatalogFacts(of: ["gone", "t"], in: $0).text }
        let gate = StoreGate(schemas: [.init(versions: "1.0", text: text)], triggers: ["guard"])
        var rule = rule()
        for leavesTombstones in [false, true] {
            if leavesTombstones {
                rule.tombstone = Tombstone(table: "gone", columns: [.init("id", from: "id")], condition: nil)
            }
            let store = try database.store([rule], gate: gate)
            let report = PruneRun.report([rule], on: [store], at: runStart, accessPath: accessPath).rules[0]
            #expect(report.outcome == .failed, "\(report)")
            #expect(report.failure?.cause.hasPrefix(does.cause) == true, "\(report)")
            #expect(
                report.failure?.hint == "such rows can stay: write the trigger's condition into protect")
            #expect(
                try database.psql("SELECT (SELECT count(*) FROM t), (SELECT count(*) FROM gone)") == "40|0")
        }
        rule.protect = ["id = 7"]
        let store = try database.store([rule], gate: gate)
        #expect(PruneRun.report([rule], on: [store], at: runStart).rules[0].deleted == 19)
        #expect(try database.psql("SELECT count(*) FROM gone") == "19")
    }

    @Test("a table that the role cannot read is named, for its rows may hold others")
    func unreadable() throws {
        let database = try OwnedDatabase(
            """
            CREATE TABLE t (id int PRIMARY KEY, at timestamptz);
            INSERT INTO t \(Self.rows) FROM generate_series(1, 40) i;
            CREATE TABLE labels (item int REFERENCES t); INSERT INTO labels VALUES (3);
            """)
        try database.psql("REVOKE SELECT ON labels FROM \(database.role)")
        let view = try database.store([rule()]).openView(RunControl(monotonic: systemMonotonic))
        defer { view.close() }
        let task = PruneTask(rule(), start: runStart, in: .gmt)
        try view.checkReferences(to: task)
        #expect(
            try view.remarks(before: task) == [
                "rows of labels may hold expired rows (foreign key labels_item_fkey), which only a run can tell: the role"
                    + " cannot look at all of them"
            ])
    }
}
