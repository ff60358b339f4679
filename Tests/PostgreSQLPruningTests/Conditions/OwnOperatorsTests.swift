import TestSupport
import Retention
import Testing

@testable import PostgreSQLPruning

@Suite(
    "Values of types whose operators lie outside of pg_catalog",
    .enabled(if: PostgreSQLPrograms.installed != nil, "\(PostgreSQLPrograms.comment)"))
struct OwnOperatorsTests {
    private static let setup = "CREATE EXTENSION citext SCHEMA public; CREATE EXTENSION hstore SCHEMA public;"

    @Test(
        "A protected citext keeps the rows that the app takes for equal, and `where` takes only those that are the same text"
    )
    func protected() throws {
        let database = try OwnedDatabase(
            """
            CREATE DOMAIN address AS citext;
            CREATE TABLE items (id int PRIMARY KEY, mail citext, address address, received timestamptz);
            INSERT INTO items SELECT i, CASE WHEN i % 2 = 0 THEN 'Admin@x' ELSE 'other' END, 'a', '2026-01-01'
            FROM generate_series(1, 40) i
            """, setup: Self.setup)
        func rule(_ condition: String?, protect: [String]) throws -> RetentionRule {
            var rule = try OwnedDatabase.rule(where: condition, protect: protect)
            (rule.store, rule.holdLimits) = ("s", .noneAtAll)
            return rule
        }
        #expect(try database.outcome(rule("mail = 'admin@x'", protect: [])).deleted == 0)
        #expect(try database.outcome(rule(nil, protect: ["address = 'A'"])).deleted == 0)
        #expect(try database.outcome(rule(nil, protect: ["mail = 'admin@x'"])).deleted == 20)
        #expect(try database.psql("SELECT count(*) FROM items WHERE mail = 'admin@x'") == "20")
        #expect(try database.outcome(rule("mail = 'Admin@x'", protect: [])).deleted == 20)
    }

    @Test("They form no groups, are no key of tombstones, and no identity")
    func comparedByRules() throws {
        let database = try OwnedDatabase(
            """
            CREATE TABLE t (id int PRIMARY KEY, at timestamptz, feed citext, guid citext);
            CREATE TABLE gone (guid citext PRIMARY KEY);
            INSERT INTO t SELECT i, '2026-01-01', 'f', 'g' || i FROM generate_series(1, 40) i
            """, setup: Self.setup)
        var groups = RetentionRule.archiving()
        (groups.keepLast, groups.keepLastPer) = (1, ["feed"])
        let tombstone = Tombstone(table: "gone", columns: [.init("guid", from: "guid")], condition: nil)
        for rule in [groups, .archiving(tombstone: tombstone), .archiving(identity: ["guid"])] {
            let report = try database.outcome(rule)
            #expect(report.outcome == .failed && report.deleted == 0, "\(report)")
            #expect(
                report.failure?.cause.contains("compares values in a way of its own") == true, "\(report)")
        }
        #expect(try database.psql("SELECT count(*) FROM t") == "40")
    }
}
