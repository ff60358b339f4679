import Pruning
import Retention
import TestSupport
import Testing

@testable import MariaDBPruning

@Suite(
    "What is refused on MariaDB",
    .enabled(if: MariaDBPrograms.installed != nil, "\(MariaDBPrograms.comment)"))
struct RefusalTests {
    struct Refusal: CustomTestStringConvertible, Sendable {
        let what: String
        let sql: String
        var rule = RetentionRule.old()
        let cause: String

        var testDescription: String { what }
    }

    private static let tombstone = Tombstone(
        table: "gone", columns: [.init("id", from: "id")], condition: nil)

    private static func rule(_ change: (inout RetentionRule) -> Void) -> RetentionRule {
        var rule = RetentionRule.old()
        change(&rule)
        return rule
    }

    private static func child(_ name: String, of parent: String, _ more: String = "") -> String {
        """
        CREATE TABLE \(name) (id int PRIMARY KEY, up int\(more));
        ALTER TABLE \(name) ADD FOREIGN KEY (up) REFERENCES \(parent) (id) ON DELETE CASCADE;

        """
    }

    private static let selfReference =
        " refer to others of it (a foreign key), which is not followed on MariaDB"

    static let refusals = [
        Refusal(
            what: "no key", sql: "CREATE TABLE t (id int, at timestamp NULL); " + AppDatabase.rows(3),
            cause: "t has no primary key, and no unique one without NULL"),
        Refusal(
            what: "a unique key with NULL",
            sql: "CREATE TABLE t (id int UNIQUE, at timestamp NULL); " + AppDatabase.rows(3),
            cause: "t has no primary key, and no unique one without NULL"),
        Refusal(
            what: "a key of the first characters",
            sql:
                "CREATE TABLE t (id int, at timestamp NULL, k varchar(9) NOT NULL DEFAULT '', UNIQUE (k (3)));",
            cause: "t has no primary key, and no unique one without NULL"),
        Refusal(
            what: "a key with fractions",
            sql: "CREATE TABLE t (id double PRIMARY KEY, at timestamp NULL); " + AppDatabase.rows(3),
            cause: "t has a key of the type double, by which rows are not found exactly"),
        Refusal(
            what: "MyISAM",
            sql: "CREATE TABLE t (id int PRIMARY KEY, at timestamp NULL) ENGINE = MyISAM; "
                + AppDatabase.rows(3),
            cause: "t has the engine MyISAM, which has no transactions"),
        Refusal(
            what: "system versioning",
            sql: "CREATE TABLE t (id int PRIMARY KEY, at timestamp NULL) WITH SYSTEM VERSIONING; "
                + AppDatabase.rows(3),
            cause: "t has system versioning: deleted rows stay in it as its history"),
        Refusal(
            what: "a dependent with system versioning",
            sql: AppDatabase.table(3) + child("c", of: "t", ", n int")
                + "ALTER TABLE c ADD SYSTEM VERSIONING",
            rule: .old(dependents: ["c"]),
            cause: "c has system versioning: deleted rows stay in it as its history"),
        Refusal(
            what: "a view", sql: AppDatabase.table(3) + "CREATE VIEW v AS SELECT * FROM t",
            rule: .old("v"), cause: "view"),
        Refusal(
            what: "rows that refer to each other",
            sql: AppDatabase.table(3, also: ", up int")
                + "ALTER TABLE t ADD FOREIGN KEY (up) REFERENCES t (id)",
            cause: "rows of t" + selfReference),
        Refusal(
            what: "rows of a dependent that refer to each other",
            sql: AppDatabase.table(3) + child("c", of: "t", ", other int")
                + "ALTER TABLE c ADD FOREIGN KEY (other) REFERENCES c (id)",
            rule: .old(dependents: ["c"]), cause: "rows of c" + selfReference),
        Refusal(
            what: "a tombstone", sql: AppDatabase.table(3) + "CREATE TABLE gone (id int PRIMARY KEY)",
            rule: rule { $0.tombstone = tombstone }, cause: "tombstone is not known on MariaDB"),
        Refusal(
            what: "a circle of dependents",
            sql: AppDatabase.table(3) + child("a", of: "t", ", other int") + child("b", of: "a")
                + "ALTER TABLE a ADD FOREIGN KEY (other) REFERENCES b (id) ON DELETE CASCADE",
            rule: .old(dependents: ["a", "b"]),
            cause: "a goes with rows that go with it (a circle of foreign keys)"),
        Refusal(
            what: "a circle back to the rule's table",
            sql: AppDatabase.table(3, also: ", up int") + child("a", of: "t")
                + "ALTER TABLE t ADD FOREIGN KEY (up) REFERENCES a (id) ON DELETE CASCADE",
            rule: .old(dependents: ["a"]),
            cause: "deleting rows of t would also delete other rows of t (a foreign key), expired or not"),
        Refusal(
            what: "a child that nobody declared", sql: AppDatabase.table(3) + child("c", of: "t"),
            cause:
                "deleting rows of t would also delete rows of c (a foreign key), which the rule does not declare"
        ),
        Refusal(
            what: "a trigger that nobody allowed",
            sql: AppDatabase.table(3) + "CREATE TRIGGER g BEFORE DELETE ON t FOR EACH ROW SET @a = 1",
            cause: "trigger g on t would run, which no gate of the store knows"),
        Refusal(
            what: "a trigger on a dependent",
            sql: AppDatabase.table(3) + child("c", of: "t")
                + "CREATE TRIGGER g AFTER DELETE ON c FOR EACH ROW SET @a = 1",
            rule: .old(dependents: ["c"]),
            cause: "trigger g on c would run, which no gate of the store knows"),
        Refusal(
            what: "a time on the wall without a zone",
            sql: "CREATE TABLE t (id int PRIMARY KEY, at datetime); " + AppDatabase.rows(3),
            cause: "t.at is a datetime, and the rule does not say in which time zone"),
        Refusal(
            what: "a column that cannot be archived", sql: AppDatabase.table(3, also: ", p point"),
            rule: .old(archives: true), cause: "rows of t cannot be archived: p is of type point"),
    ]

    @Test("it is refused with its cause, before and in a run, and nothing goes", arguments: refusals)
    func refused(_ refusal: Refusal) throws {
        let app = try AppDatabase(refusal.sql)
        let before = try app.rows()
        for dryRun in [true, false] {
            let report = try app.prune(refusal.rule, dryRun: dryRun)
            #expect(report.outcome == .failed && report.deleted == 0, "\(report)")
            #expect(report.failure?.cause.contains(refusal.cause) == true, "\(report)")
            #expect(report.failure?.hint != nil, "\(report)")
        }
        let view = try app.store([refusal.rule]).openView(RunControl(monotonic: systemMonotonic))
        defer { view.close() }
        let error = #expect(throws: StoreError.self) { try view.validate(refusal.rule) }
        #expect(error?.cause.contains(refusal.cause) == true, "\(String(describing: error))")
        #expect(try app.rows() == before)
    }

    @Test("triggers that the rule does not fire are none of its business")
    func otherTriggers() throws {
        let app = try AppDatabase(
            AppDatabase.table(3)
                + """
                CREATE TRIGGER a AFTER INSERT ON t FOR EACH ROW SET @a = 1;
                CREATE TRIGGER b BEFORE UPDATE ON t FOR EACH ROW SET @a = 1
                """)
        #expect(try app.prune().deleted == 3)
    }
}
