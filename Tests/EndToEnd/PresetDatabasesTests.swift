import Foundation
import TestSupport
import Testing

/// The presets for PostgreSQL, each on a database of its app's with a row of every kind.
@Suite(.enabled(if: PostgreSQLPrograms.installed != nil, "\(PostgreSQLPrograms.comment)"))
struct PresetDatabasesTests {
    @Test(
        "what is read and old goes, and every kind of row that matters stays, in each version",
        arguments: ServerApp.all + ServerApp.versions)
    func fates(app: ServerApp) throws {
        let prepared = try ConfiguredServer(app)
        let before = try prepared.titles()
        let (goes, stays) = (before.filter { $0.hasPrefix("goes") }, before.filter { $0.hasPrefix("stays") })
        #expect(goes.count + stays.count == before.count && !goes.isEmpty)

        let dryRun = try prepared.run("", "--dry-run")
        #expect(dryRun.status == 0, "\(dryRun)")
        #expect(try dryRun.report()[prepared.rule]?.expired == goes.count, "\(dryRun)")
        #expect(try prepared.titles() == before)

        let run = try prepared.run()
        #expect(run.status == 0, "\(run)")
        #expect(try run.report()[prepared.rule]?.deleted == goes.count, "\(run)")
        #expect(try prepared.titles() == stays)

        let second = try prepared.run()
        #expect(second.status == 0, "\(second)")
        #expect(try second.report()[prepared.rule]?.deleted == 0, "\(second)")
        #expect(try prepared.titles() == stays)
    }

    @Test(
        "a database of the next version, with a column more, is refused, until it is accepted or its printed schema is known",
        arguments: ServerApp.all)
    func unknownColumn(app: ServerApp) throws {
        let prepared = try ConfiguredServer(app, "ALTER TABLE \(app.table) ADD COLUMN pinned boolean")
        let before = try prepared.titles()
        let run = try prepared.run()
        #expect(run.status == 1, "\(run)")
        #expect(try run.report()[prepared.rule]?.reason?.contains("pinned") == true, "\(run)")
        #expect(try prepared.titles() == before)

        let check = prepared.state.pruned(
            "check", "--schema", "app", "--config", try prepared.configuration())
        try prepared.state.sandbox.takeSchema(check.run().checked().output, intoPreset: app.preset)
        let known = try prepared.run("", "--dry-run")
        #expect(known.status == 0, "\(known)")

        let accepted = try prepared.run("accept_columns = [\"\(app.table).pinned\"]")
        #expect(accepted.status == 0, "\(accepted)")
        #expect(try accepted.report()[prepared.rule]?.deleted ?? 0 > 0, "\(accepted)")
    }

    @Test(
        "a trigger more that the rule would fire refuses the database, whatever it does; another one does not",
        arguments: ServerApp.all)
    func unknownTrigger(app: ServerApp) throws {
        let event = app.preset == "miniflux-status" ? "UPDATE" : "DELETE"
        for other in ["DELETE", "UPDATE", "INSERT"] {
            let prepared = try ConfiguredServer(
                app,
                """
                CREATE FUNCTION news() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN OLD; END $$;
                CREATE TRIGGER news BEFORE \(other) ON \(app.table) FOR EACH ROW EXECUTE FUNCTION news()
                """)
            let before = try prepared.titles()
            let run = try prepared.run()
            guard other == event else {
                #expect(run.status == 0, "\(run)")
                continue
            }
            #expect(run.status == 1, "\(run)")
            #expect(try run.report()[prepared.rule]?.reason?.contains("news") == true, "\(run)")
            #expect(try prepared.titles() == before)
        }
    }

    @Test(
        "a database is known by its schema, and what is proposed for it is a configuration that finds the rows",
        arguments: ServerApp.all)
    func suggested(app: ServerApp) throws {
        let prepared = try ConfiguredServer(app)
        let suggested = try prepared.suggest().checked()
        #expect(suggested.output.contains("preset = \"\(app.preset)\""), "\(suggested)")
        #expect(suggested.output.contains("\nurl    = \"\(prepared.url)\"\n"), "\(suggested)")
        // Of so few rows, those that go are among the newest.
        let file = try prepared.state.configuration(suggested.output + "\n[guard]\nmax_share = 1\n")
        let check = try prepared.state.pruned("check", "--config", file).run()
        #expect(check.status == 0, "\(check)")
        let plan = try prepared.state.pruned("plan", "--config", file).run()
        #expect(
            plan.output.contains("would \(app.preset == "miniflux-status" ? "mark" : "delete") 2 rows"),
            "\(plan)")
    }

    @Test("each entry that goes from Miniflux leaves its tombstone, and its enclosures go with it")
    func tombstones() throws {
        let prepared = try ConfiguredServer(.miniflux)
        let goes = "SELECT feed_id, hash FROM entries WHERE title LIKE 'goes%' ORDER BY hash"
        let expected = try prepared.psql(goes)
        _ = try prepared.run().checked()
        #expect(try prepared.psql("SELECT feed_id, hash FROM entry_tombstones ORDER BY hash") == expected)
        #expect(try prepared.psql("SELECT count(*) FROM enclosures") == "6")
    }

    @Test(
        "each user of FreshRSS has rows of their own pruned, by one run and by the service",
        arguments: ["--run-now", "service", "prefixes"])
    func users(kind: String) throws {
        let ada = try ServerApp.freshRSS.named("freshrss_ada_", insteadOf: "freshrss_admin_")
        let bob = try ServerApp.freshRSS.named("freshrss_Bob.C_", insteadOf: "freshrss_admin_")
        let prepared = try ConfiguredServer(
            ada,
            """
            \(bob.schema); \(bob.rows);
            INSERT INTO \(bob.table) (id, guid, title, link, is_read, id_feed, "lastSeen")
            VALUES (7777, 'x', 'goes: another of Bob''s', 'l', 1, 1, 1600000000)
            """)
        let more = """
            prefix = "freshrss_ada_"
            [store.bob]
            url = "\(prepared.url)"
            preset = "\(bob.preset)"
            prefix = "freshrss_Bob.C_"
            """
        let expected = [ada, bob].map { $0.shown + " WHERE title NOT LIKE 'goes%' ORDER BY title" }
        let before = try expected.map(prepared.psql)
        if kind == "service" {
            let service = try Service(
                on: prepared.state, arguments: ["--config", try prepared.configuration(more)])
            try service.waitForFirstRun()
            try service.stop()
            let status = try prepared.state.pruned(
                "status", "--config", try prepared.configuration(more)
            ).run()
            #expect(status.status == 0, "\(status)")
        } else if kind == "prefixes" {
            let run = try prepared.run("prefixes = \"freshrss_*_\"").checked()
            let report = try run.report()
            #expect(report["app/ada-articles"]?.deleted == 2, "\(run)")
            #expect(report["app/Bob.C-articles"]?.deleted == 3, "\(run)")
        } else {
            let run = try prepared.run(more)
            #expect(run.status == 0, "\(run)")
            let report = try run.report()
            #expect(report["app-articles"]?.deleted == 2 && report["bob-articles"]?.deleted == 3, "\(run)")
        }
        let after = try [ada, bob].map { try prepared.psql($0.shown + " ORDER BY title") }
        #expect(after == before)
    }

    @Test("each schema that has the table is a store, capitals and hyphens as they are")
    func schemas() throws {
        let prepared = try ConfiguredServer(
            .freshRSS,
            ["tenant_a", "tenant_B-c", "other"].map {
                """
                CREATE SCHEMA "\($0)"; CREATE TABLE "\($0)".item (id int PRIMARY KEY, at bigint);
                CREATE TABLE "\($0)".mark (item int PRIMARY KEY);
                INSERT INTO "\($0)".item SELECT n, extract(epoch FROM now()) - 9000000 FROM generate_series(1, 3) n;
                INSERT INTO "\($0)".item VALUES (4, extract(epoch FROM now()));
                INSERT INTO "\($0)".mark VALUES (1);
                GRANT USAGE ON SCHEMA "\($0)" TO PUBLIC; GRANT ALL ON ALL TABLES IN SCHEMA "\($0)" TO PUBLIC;
                """
            }.joined() + "CREATE SCHEMA tenant_empty; CREATE TABLE tenant_empty.more (id int)")
        let file = try prepared.state.configuration(
            """
            [store.app]
            url = "\(prepared.url)"
            schemas = "tenant_*"
            [rule.items]
            table = "{schema}.item"
            age_column = "at"
            keep = "30d"
            protect = "EXISTS (SELECT 1 FROM {schema}.mark m WHERE m.item = item.id)"
            guard = { max_share = 1 }
            """)
        let run = try prepared.state.pruned("--run-now", "--json", "--config", file).run().checked()
        #expect(Set(try run.report().rules.map(\.rule)) == ["app/a-items", "app/B-c-items"], "\(run)")
        #expect(try run.report().rules.allSatisfy { $0.deleted == 2 }, "\(run)")
        #expect(try prepared.psql("SELECT count(*) FROM other.item") == "4")
    }

    @Test("another prefix of Nextcloud's tables is found")
    func otherNextcloud() throws {
        let prepared = try ConfiguredServer(.nextcloudNews.named("cloud7_", insteadOf: "oc_"))
        #expect(try prepared.run().status == 1)
        let suggested = try prepared.suggest().checked()
        #expect(suggested.output.contains("\nprefix = \"cloud7_\"\n"), "\(suggested)")
        #expect(try prepared.run("prefix = \"cloud7_\"").checked().report()[prepared.rule]?.deleted == 2)
    }
}
