import Foundation
import Testing

/// The presets, each on a store of its app's with a row of every kind.
@Suite struct PresetStoresTests {
    /// The rows that the app shows, in order.
    private func shown(_ app: AppStore, in prepared: ConfiguredStore) throws -> [String] {
        try prepared.store.query(app.shown).split(separator: "\n").map(String.init).sorted()
    }

    @Test(
        "what is read and old goes, and every kind of row that matters stays, in each version",
        arguments: AppStore.all + AppStore.versions)
    func fates(app: AppStore) throws {
        let prepared = try ConfiguredStore(app)
        let before = try shown(app, in: prepared)
        let (goes, stays) = (before.filter { $0.hasPrefix("goes") }, before.filter { $0.hasPrefix("stays") })
        #expect(goes.count + stays.count == before.count && !goes.isEmpty)

        let dryRun = try prepared.run("", "--dry-run")
        #expect(dryRun.status == 0, "\(dryRun)")
        #expect(try dryRun.report()[ConfiguredStore.rule]?.expired == goes.count, "\(dryRun)")
        #expect(try shown(app, in: prepared) == before)

        let run = try prepared.run()
        #expect(run.status == 0, "\(run)")
        #expect(try run.report()[ConfiguredStore.rule]?.deleted == goes.count, "\(run)")
        #expect(try shown(app, in: prepared) == stays)
        #expect(try prepared.store.health() == "ok")

        let second = try prepared.run()
        #expect(second.status == 0, "\(second)")
        #expect(try second.report()[ConfiguredStore.rule]?.deleted == 0, "\(second)")
        #expect(try shown(app, in: prepared) == stays)
    }

    @Test("a store of the next version, with a column more, is refused", arguments: AppStore.all)
    func unknownColumn(app: AppStore) throws {
        let prepared = try ConfiguredStore(app, "ALTER TABLE \(app.table) ADD COLUMN pinned INTEGER;")
        let before = try prepared.dump()
        let run = try prepared.run()
        #expect(run.status == 1, "\(run)")
        #expect(try run.report()[ConfiguredStore.rule]?.reason?.contains("pinned") == true, "\(run)")
        #expect(try prepared.dump() == before)

        let accepted = try prepared.run("accept_columns = [\"\(app.table).pinned\"]")
        #expect(accepted.status == 0, "\(accepted)")
        #expect(try accepted.report()[ConfiguredStore.rule]?.deleted ?? 0 > 0, "\(accepted)")
    }

    @Test(
        "a trigger more that the rule would fire refuses the store, whatever it does; another one does not",
        arguments: AppStore.all)
    func unknownTrigger(app: AppStore) throws {
        for event in ["DELETE", "UPDATE", "INSERT"] {
            let prepared = try ConfiguredStore(
                app, "CREATE TRIGGER news AFTER \(event) ON \(app.table) BEGIN SELECT 1; END;")
            let before = try prepared.dump()
            let run = try prepared.run()
            if event == app.event {
                #expect(run.status == 1, "\(run)")
                #expect(
                    try run.report()[ConfiguredStore.rule]?.reason?.contains("trigger news") == true, "\(run)"
                )
                #expect(try prepared.dump() == before)
            } else {
                #expect(run.status == 0, "\(run)")
            }
        }
    }

    @Test("yarr from 2.7 on is refused: its trigger calls a function that only yarr has")
    func appDefinedFunction() throws {
        let prepared = try ConfiguredStore(.yarr, AppStore.yarrAfter26)
        let before = try prepared.dump()
        let run = try prepared.run()
        #expect(run.status == 1, "\(run)")
        #expect(try run.report()[ConfiguredStore.rule]?.reason?.contains("items") == true, "\(run)")
        #expect(try prepared.dump() == before)
        // Whoever has the columns accepted is still refused.
        #expect(try prepared.run("accept_columns = [\"search_rowid\"]").status == 1)
        #expect(try prepared.dump() == before)
    }

    @Test("a search index whose content is the pruned table refuses the store, for searches in it would fail")
    func externalContent() throws {
        let prepared = try ConfiguredStore(
            .freshRSS,
            "CREATE VIRTUAL TABLE words USING fts5(title, content = 'entry', content_rowid = 'rowid');")
        let run = try prepared.run()
        #expect(run.status == 1 && run.errors.contains("the full-text index words"), "\(run)")
        #expect(try prepared.store.count("SELECT count(*) FROM entry WHERE title LIKE 'goes%'") == 2)
    }

    @Test("what is gone is gone from the app's search index", arguments: [AppStore.yarr, .fusion])
    func search(app: AppStore) throws {
        let prepared = try ConfiguredStore(app)
        let index = app.preset == "yarr" ? "search" : "items_fts"
        let found = "SELECT count(*) FROM \(index) WHERE content MATCH 'words'"
        let before = try prepared.store.count(found)
        let run = try prepared.run().checked()
        let gone = try #require(try run.report()[ConfiguredStore.rule]?.deleted)
        #expect(try prepared.store.count(found) == before - gone)
        try prepared.store.query("INSERT INTO \(index) (\(index)) VALUES ('integrity-check')")
    }

    @Test("a Nextcloud with another table prefix")
    func prefix() throws {
        let app = AppStore.nextcloudNews
        let prepared = try ConfiguredStore(app.preset)
        try prepared.store.query(app.sql.replacing("oc_", with: "cloud7_"))
        #expect(try prepared.run().status == 1)
        let run = try prepared.run("prefix = \"cloud7_\"")
        #expect(run.status == 0, "\(run)")
        #expect(try run.report()[ConfiguredStore.rule]?.deleted == 2)
    }

    @Test("what is suggested for a Nextcloud has its table prefix, if that is not the usual one")
    func suggestedPrefix() throws {
        let app = AppStore.nextcloudNews
        for (prefix, isTold) in [("oc_", false), ("cloud7_", true), ("oc_oc_", true)] {
            let prepared = try ConfiguredStore(app.preset)
            try prepared.store.query(app.sql.replacing("oc_", with: prefix))
            let suggested = try prepared.suggest().checked()
            #expect(suggested.output.contains("preset = \"\(app.preset)\""), "\(suggested)")
            #expect(suggested.output.contains("\nprefix = \"\(prefix)\"\n") == isTold, "\(suggested)")
            let file = try prepared.state.configuration(suggested.output)
            let plan = try prepared.state.pruned("plan", "--config", file).run()
            #expect(plan.output.contains("would delete 2 rows"), "\(plan)")
        }
    }

    @Test("a Nextcloud with another prefix and an unknown column is named, not taken for an unknown app")
    func suggestedPrefixOfUnknownVersion() throws {
        let app = AppStore.nextcloudNews
        let prepared = try ConfiguredStore(app.preset)
        try prepared.store.query(
            app.sql.replacing("oc_", with: "cloud7_")
                + "ALTER TABLE cloud7_news_items ADD COLUMN pinned INTEGER;")
        let suggested = try prepared.suggest()
        #expect(suggested.status != 0 && suggested.output.isEmpty, "\(suggested)")
        #expect(suggested.errors.contains("has the tables of Nextcloud News"), "\(suggested)")
    }

    @Test("articles of feeds that a hub pushes to FreshRSS stay, when protected as the preset's notes say")
    func pushed() throws {
        let prepared = try ConfiguredStore(.freshRSS)
        let notes = try #require(
            prepared.state.sandbox.text("presets/freshrss.toml").firstMatch(of: /\n +(protect = .*)\n/)?
                .output.1)
        let rule = String(notes).replacing("(12, 34)", with: "(1)")
        let run = try prepared.run("", rule: rule).checked()
        #expect(try run.report()[ConfiguredStore.rule]?.deleted == 1, "\(run)")
        #expect(try prepared.store.count("SELECT count(*) FROM entry WHERE title = 'goes: read'") == 1)
    }

    @Test(
        "a database is known by its schema, and what is proposed for it is a configuration",
        arguments: AppStore.all + AppStore.versions)
    func suggested(app: AppStore) throws {
        let prepared = try ConfiguredStore(app)
        let suggested = try prepared.suggest().checked()
        #expect(suggested.output.contains("preset = \"\(app.preset)\""), "\(suggested)")
        let file = try prepared.state.configuration(suggested.output)
        let check = try prepared.state.pruned("check", "--config", file).run()
        #expect(check.status == 0, "\(check)")
    }
}
