import Foundation
import RealPrograms
import Testing

/// The presets for PostgreSQL, each on a database of its app's with a row of every kind.
@Suite(.enabled(if: PostgreSQLPrograms.directory != nil, "\(PostgreSQLPrograms.comment)"))
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

    @Test("a database of the next version, with a column more, is refused", arguments: ServerApp.all)
    func unknownColumn(app: ServerApp) throws {
        let prepared = try ConfiguredServer(app, "ALTER TABLE \(app.table) ADD COLUMN pinned boolean")
        let before = try prepared.titles()
        let run = try prepared.run()
        #expect(run.status == 1, "\(run)")
        #expect(try run.report()[prepared.rule]?.reason?.contains("pinned") == true, "\(run)")
        #expect(try prepared.titles() == before)

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

    @Test("another prefix of Nextcloud's tables is found")
    func otherNextcloud() throws {
        let app = ServerApp.nextcloudNews
        let other = ServerApp(
            preset: app.preset, rule: app.rule, schema: app.schema.replacing("oc_", with: "cloud7_"),
            rows: app.rows.replacing("oc_", with: "cloud7_"), table: "cloud7_news_items",
            shown: "SELECT title FROM cloud7_news_items")
        let prepared = try ConfiguredServer(other)
        #expect(try prepared.run().status == 1)
        let suggested = try prepared.suggest().checked()
        #expect(suggested.output.contains("\nprefix = \"cloud7_\"\n"), "\(suggested)")
        #expect(try prepared.run("prefix = \"cloud7_\"").checked().report()[prepared.rule]?.deleted == 2)
    }
}
