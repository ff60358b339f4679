import TestSupport
import Retention
import Testing

@testable import PostgreSQLPruning

@Suite(
    "Values of types whose operators lie outside of pg_catalog",
    .enabled(if: PostgreSQLPrograms.installed != nil, "\(PostgreSQLPrograms.comment)"))
struct OwnOperatorsTests {
    private static let setup = "CREATE EXTENSION citext SCHEMA public; CREATE EXTENSION hstore SCHEMA public;"

    private static let schema = """
        CREATE DOMAIN address AS citext;
        CREATE TABLE items (id bigint PRIMARY KEY, mail citext, mails citext[], address address, tags hstore,
            received timestamptz);
        CREATE TABLE people (id bigint PRIMARY KEY, mail citext);
        """

    @Test("A condition that would compare them in another way than the app is refused")
    func refused() throws {
        let store = try OwnedDatabase(Self.schema, setup: Self.setup)
        for text in [
            "mail = 'a'", "'a' = mail", "mail <> 'a'", "mail < 'a'", "mail IN ('a', 'b')",
            "mail NOT IN ('a', 'b')",
            "mail LIKE 'a%'", "mail NOT ILIKE 'a%'", "mail ~ 'a'", "mail BETWEEN 'a' AND 'b'",
            "address = 'a'",
            "mail IS DISTINCT FROM 'a'", "CASE mail WHEN 'a' THEN true END", "nullif(mail, 'a') IS NULL",
            "'a' = ANY (mails)", "mails[1] = 'a'", "(mail, id) = ('a', 1)", "(mail, id) < ('a', 1)",
            "coalesce(mail, '') = 'a'", "mail COLLATE \"C\" = 'a'", "replace(mail, 'a', 'b') = 'b'",
            "tags || 'a=>1' = 'a'", "(SELECT p.mail FROM people p WHERE p.id = items.id) = 'a'",
            "mail IN (SELECT mail FROM people)", "'a' IN (SELECT p.mail FROM people p WHERE p.id = items.id)",
            "(SELECT max(p.mail) FROM people p WHERE p.id = items.id) IS NULL",
            "EXISTS (SELECT FROM people p WHERE p.mail = items.mail)",
            "EXISTS (SELECT FROM people p JOIN people q USING (mail) WHERE p.id = items.id)",
        ] {
            let refusal = try store.refusal(of: text)
            #expect(
                refusal?.cause.contains("of type public.") == true, "\(text): \(refusal?.cause ?? "accepted")"
            )
            #expect(refusal?.hint?.contains("as its app does") == true, "\(text): \(refusal?.hint ?? "")")
        }
        #expect(try store.refusal(of: "tags = 'a=>1'") != nil)
    }

    @Test("What says how they are compared is accepted, and what means the same to the app")
    func accepted() throws {
        let store = try OwnedDatabase(Self.schema, setup: Self.setup)
        for text in [
            "mail OPERATOR(public.=) 'a' AND id = 5", "mail OPERATOR(public.=) ANY ('{a,b}')",
            "mail OPERATOR(public.~~) 'a%'", "address OPERATOR(public.=) 'a'", "mail::text = 'a'",
            "lower(mail::text) IN ('a', 'b')", "CAST(address AS text) LIKE 'a%'", "mail IS NULL",
            "length(mail) > 3",
            "lower(mail) = 'a'", "mails @> '{a}'", "public.replace(mail, 'a', 'b') IS NULL",
            "mail OPERATOR(public.=) ANY (SELECT mail FROM people)", "tags OPERATOR(public.?) 'a'",
            "EXISTS (SELECT FROM people p WHERE p.mail OPERATOR(public.=) items.mail)",
        ] {
            let refusal = try store.refusal(of: text)
            #expect(refusal == nil, "\(text): \(refusal?.cause ?? "")")
        }
    }

    @Test("A protected citext keeps the rows that the app takes for equal, once the hint was followed")
    func protected() throws {
        let database = try OwnedDatabase(
            """
            CREATE TABLE items (id int PRIMARY KEY, mail citext, received timestamptz);
            INSERT INTO items SELECT i, CASE WHEN i % 2 = 0 THEN 'Admin@x' ELSE 'other' END, '2026-01-01'
            FROM generate_series(1, 40) i
            """, setup: Self.setup)
        var rule = try OwnedDatabase.rule(protect: ["mail = 'admin@x'"])
        (rule.store, rule.holdLimits) = ("s", .noneAtAll)
        let refused = try database.outcome(rule)
        #expect(refused.outcome == .failed && refused.deleted == 0, "\(refused)")
        #expect(
            refused.failure?.hint
                == "write OPERATOR(public.=) in place of =, as its app does"
        )
        rule.protect = ["mail OPERATOR(public.=) 'admin@x'"]
        #expect(try database.outcome(rule).deleted == 20)
        #expect(try database.psql("SELECT count(*) FROM items WHERE mail = 'admin@x'") == "20")
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
