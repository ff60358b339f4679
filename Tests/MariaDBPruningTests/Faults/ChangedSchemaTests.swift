import Pruning
import Retention
import RuleEngine
import Synchronization
import TestSupport
import Testing

@testable import MariaDBPruning

@Suite(
    "A schema that changes between two batches",
    .enabled(if: MariaDBPrograms.installed != nil, "\(MariaDBPrograms.comment)"))
struct ChangedSchemaTests {
    private static let rows = 6_000

    private static let newChild = """
        CREATE TABLE c (id int PRIMARY KEY, t int, FOREIGN KEY (t) REFERENCES t (id) ON DELETE CASCADE);
        INSERT INTO c SELECT id, id FROM t
        """

    private static let changes: [(what: String, sql: String, witness: String)] = [
        (
            "a trigger", "CREATE TRIGGER g AFTER DELETE ON t FOR EACH ROW INSERT INTO log VALUES (OLD.id)",
            "SELECT count(*) = 0 FROM log"
        ),
        (
            "a trigger of a dependent",
            "CREATE TRIGGER g AFTER DELETE ON d FOR EACH ROW INSERT INTO log VALUES (OLD.id)",
            "SELECT count(*) = 0 FROM log"
        ),
        ("a child whose rows would go", newChild, "SELECT count(*) = (SELECT count(*) FROM t) FROM c"),
        (
            "a child whose rows would lose a value", newChild.replacing("CASCADE", with: "SET NULL"),
            "SELECT count(*) = 0 FROM c WHERE t IS NULL"
        ),
        (
            "a child of a dependent",
            newChild.replacing("REFERENCES t", with: "REFERENCES d").replacing("FROM t", with: "FROM d"),
            "SELECT count(*) = (SELECT count(*) FROM d) FROM c"
        ),
        ("a column", "ALTER TABLE t ADD COLUMN keep int NOT NULL DEFAULT 1", "SELECT min(keep) FROM t"),
        ("a type", "ALTER TABLE t MODIFY at datetime NULL", "SELECT count(*) > 0 FROM t"),
    ]

    @Test(
        "what appears ends the run before it loses anything", arguments: changes, AccessPath.allCases)
    func changed(change: (what: String, sql: String, witness: String), path: AccessPath) throws {
        let app = try AppDatabase(
            AppDatabase.table(Self.rows, also: ", INDEX (at)")
                + """
                CREATE TABLE log (id int);
                CREATE TABLE d (id int PRIMARY KEY, t int, FOREIGN KEY (t) REFERENCES t (id) ON DELETE CASCADE);
                INSERT INTO d SELECT seq, seq FROM seq_1_to_\(Self.rows)
                """)
        let report = try app.prune(.old(dependents: ["d"]), accessPath: path) {
            if $0 == 2 { try app.run(change.sql) }
        }
        #expect(report.outcome == .failed && report.batches == 2, "\(report)")
        let error = report.failure
        #expect(error?.kind == .fault(.schema), "\(report)")
        #expect(report.deleted > 0 && Int(report.deleted) < Self.rows, "\(report)")
        #expect(try app.rows() == Self.rows - Int(report.deleted))
        #expect(try app.rows(of: "d") == Self.rows - Int(report.deleted))
        #expect(try app.count(change.witness) == 1, "\(change.what)")
    }

    /// The worker asks for the time when it has bound the rule.
    @Test("a child that appears while the rule is bound keeps its rows", arguments: 1...3)
    func whileBound(instant: Int) throws {
        let app = try AppDatabase(AppDatabase.table(3))
        let calls = Mutex(0)
        let access = StoreAccess(
            name: "s", address: try Address(text: app.database.url, place: "the database"),
            rules: [.old()], gate: nil, archive: nil, lockTime: LockTime(.seconds(1)),
            monotonic: {
                let number = calls.withLock { calls in
                    calls += 1
                    return calls
                }
                if number == instant { _ = try? app.run(Self.newChild) }
                return systemMonotonic()
            }, recent: RecentlyBound())
        let worker = try MariaDBWorker(access, claim: nil, RunControl(monotonic: systemMonotonic))
        defer { worker.close() }
        let error = #expect(throws: StoreError.self) {
            _ = try worker.begin(
                PruneTask(.old(), start: runStart, in: .gmt), accessPath: nil, tellsRows: false)
            _ = try worker.deleteBatch(rows: 10)
        }
        #expect(error?.kind == .schema, "\(String(describing: error))")
        #expect(try app.rows() == 3)
        #expect(try app.rows(of: "c") == 3)
    }

    @Test("a table that is gone, and one that came in its place, end the run", arguments: [false, true])
    func replaced(isReplaced: Bool) throws {
        let app = try AppDatabase(AppDatabase.table(Self.rows))
        let report = try app.prune(accessPath: .walk) {
            guard $0 == 2 else { return }
            try app.run("RENAME TABLE t TO away")
            if isReplaced { try app.run("CREATE TABLE t (id int PRIMARY KEY, note text)") }
        }
        #expect(report.outcome == .failed && report.batches == 2, "\(report)")
        #expect(report.failure?.kind == .fault(.schema), "\(report)")
        #expect(try app.rows(of: "away") == Self.rows - Int(report.deleted))
    }
}
