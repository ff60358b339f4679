import Pruning
import TestSupport
import Retention
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
        "a row that belongs to an expired one is held by rows that refer to it, and what is said to help helps"
    )
    func dependents() throws {
        let database = try OwnedDatabase(
            """
            CREATE TABLE t (id int PRIMARY KEY, at timestamptz);
            INSERT INTO t \(Self.rows) FROM generate_series(1, 40) i;
            CREATE TABLE part (id int PRIMARY KEY, t int REFERENCES t ON DELETE CASCADE); CREATE INDEX ON part (t);
            INSERT INTO part SELECT i, i FROM generate_series(1, 40) i;
            CREATE TABLE labels (part int REFERENCES part, own int REFERENCES part ON DELETE CASCADE);
            CREATE INDEX ON labels (own); INSERT INTO labels VALUES (3, NULL), (35, NULL)
            """)
        var rule = rule()
        rule.dependents = ["part", "labels"]
        let cause =
            "1 expired row of part cannot be deleted: rows of labels refer to it (foreign key labels_part_fkey)"
        #expect(try database.outcome(rule, dryRun: true).failure?.cause == cause)
        try database.psql("UPDATE labels SET own = 3")
        #expect(try database.outcome(rule, dryRun: true).expired == 20, "they go with it")

        try database.psql("ALTER TABLE labels DROP own")
        rule.dependents = ["part"]
        let reports = try [true, false].map { try database.outcome(rule, dryRun: $0) }
        #expect(reports.allSatisfy { $0.outcome == .failed && $0.failure?.cause == cause }, "\(reports)")
        let help =
            "EXISTS (SELECT 1 FROM part own WHERE own.t = t.id AND "
            + "EXISTS (SELECT 1 FROM labels other WHERE other.part = own.id))"
        #expect(
            reports[0].failure?.hint == "rows that are referred to can stay: protect = [\"\(help)\"]",
            "\(reports)")
        rule.protect = [help]
        let after = try [true, false].map { try database.outcome(rule, dryRun: $0) }
        #expect(after[0].expired == 19 && after[1].deleted == 19, "\(after)")
    }

    /// A table of some hundred pages of rows that refer to each other: `up` is SQL of the row that row i refers to.
    private func threads(_ up: String, rows: Int = 2_000) throws -> OwnedDatabase {
        try OwnedDatabase(
            """
            CREATE TABLE t (id int PRIMARY KEY, at timestamptz, up int, filler text); CREATE INDEX ON t (at);
            INSERT INTO t SELECT i, timestamptz '2026-10-01' + i * interval '1 second', \(up), repeat('x', 300)
                FROM generate_series(1, \(rows)) i;
            INSERT INTO t SELECT i, '2026-11-19' FROM generate_series(\(rows) + 1, 3 * \(rows)) i;
            ALTER TABLE t ADD FOREIGN KEY (up) REFERENCES t; CREATE INDEX ON t (up)
            """)
    }

    @Test(
        "rows of a table that refers to itself go children first, in however many batches",
        arguments: [
            "nullif(i - 1, 0)", "nullif(i / 2, 0)", "CASE WHEN i > 1000 THEN i - 1000 END", "i",
            "nullif((i + 1) % 2001, 0)",
            "CASE i WHEN 10 THEN 11 WHEN 11 THEN 10 END",
        ])
    func ownKey(up: String) throws {
        let database = try threads(up)
        #expect(try database.outcome(rule(), dryRun: true).expired == 2_000)
        let report = try database.outcome(rule())
        #expect(report.deleted == 2_000, "\(report)")
        #expect(report.outcome == .done)
    }

    @Test("a role that may not vacuum is told that no space is given back, and its rows go")
    func unreclaimed() throws {
        let database = try threads("NULL")
        let store = try database.store([rule()], reclaims: true)
        let view = try store.openView(RunControl(monotonic: systemMonotonic))
        defer { view.close() }
        try view.checkScans(of: rule())
        let remarks = try view.remarks(before: PruneTask(rule(), start: runStart, in: .gmt))
        #expect(
            remarks.count == 1 && remarks[0].hasPrefix("no space will be given back: the role"), "\(remarks)")
        let report = PruneRun.report([rule()], on: [store]).rules[0]
        #expect(report.outcome == .done && report.deleted == 2_000, "\(report)")
    }

    @Test("rows that refer to each other in a circle over many pages stay, and the run says so")
    func circle() throws {
        let database = try threads("i % 2000 + 1")
        let report = try database.outcome(rule())
        #expect(report.outcome == .failed && report.deleted == 0, "\(report)")
        #expect(
            report.failure?.hint
                == "rows of t may refer to each other in a circle, which only its app can break",
            "\(report)")
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
        let schema = try database.transaction { try StoreSchema(of: ["gone", "t"], in: $0) }
        let gate = StoreGate([.init(versions: "1.0", schema)], triggers: ["guard"])
        var rule = rule()
        let view = try database.store([rule], gate: gate).openView(RunControl(monotonic: systemMonotonic))
        defer { view.close() }
        let task = PruneTask(rule, start: runStart, in: .gmt)
        let doubt = "trigger guard on t may refuse it, which only a run can tell"
        #expect(
            try view.remarks(before: task) == [
                "trigger guard on t may refuse to let rows go, which only a run can tell"
            ])
        #expect(try view.ages(of: task).refusing.doubt == doubt)
        #expect(try view.judge(["1"], by: task)?.refusing.doubt == doubt)
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
