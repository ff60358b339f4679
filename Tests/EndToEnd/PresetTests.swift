import TestSupport
import Foundation
import Testing

/// Stores whose app a preset knows.
@Suite struct PresetTests {
    private let news: PresetStore

    init() throws { news = try PresetStore() }

    @Test(
        "three lines are enough: checked, planned, pruned by the preset's rule, with what its trigger deletes"
    )
    func threeLines() throws {
        let check = try news.pruned("check").checked()
        #expect(check.output.contains("\n  preset              ok: \(news.preset)\n"), "\(check)")
        let store = "\(news.store.path) (preset reader: its schema is that of 2 to 3)"
        #expect(check.output.contains("\nstore news            ok: \(store)\n"), "\(check)")
        let settings = try news.pruned("check", "--verbose").checked()
        #expect(settings.output.contains(/\n  keep +"30d" +presets\/reader.toml\n/), "\(settings)")
        let plan = try news.pruned("plan").checked()
        #expect(plan.output.contains("news-items"), "\(plan)")
        let report = try news.pruned("--run-now", "--json").checked().report()
        #expect(report["news-items"]?.deleted == 1 && report["news-items"]?.dependentsDeleted == 2)
        #expect(try news.ids() == "2,3")
        #expect(try news.store.query("SELECT text FROM word") == "c")
        #expect(try news.store.health() == "ok")
    }

    @Test("the app's next version is refused with what differs, and nothing of it is counted or deleted")
    func nextVersion() throws {
        try news.store.query("ALTER TABLE item ADD COLUMN pinned INTEGER")
        let message = "its schema is not that of 2 to 3: table item has an unknown column pinned"
        for command in [["check"], ["--run-now"], ["--run-now", "--dry-run"], ["plan"]] {
            var program = news.state.pruned("--config", news.file)
            program.arguments = command + program.arguments
            let ended = try program.run()
            #expect(ended.status == 1, "\(ended)")
            let words = (ended.output + ended.errors).split(whereSeparator: \.isWhitespace)
            #expect(words.joined(separator: " ").contains(message), "\(ended)")
        }
        let check = try news.pruned("check")
        #expect(
            check.errors.contains("add accept_columns = [\"item.pinned\"] to [store.news]"), "\(check)")
        #expect(check.output.contains("store news            WRONG: "), "\(check)")
        #expect(check.output.contains("  rule news-items     not checked: "), "\(check)")
        #expect(try news.ids() == "1,2,3")
        _ = try news.state.configuration(
            PresetStore.configuration(of: news.store, "accept_columns = [\"item.pinned\"]"))
        try news.pruned("--run-now").checked()
        #expect(try news.ids() == "2,3")
    }

    @Test("the schema that check prints is one that a preset takes, and the store passes then")
    func printedSchema() throws {
        try news.store.query(
            """
            ALTER TABLE item ADD COLUMN "an odd ""name" TEXT; CREATE TABLE feed (id INTEGER PRIMARY KEY);
            ALTER TABLE item ADD COLUMN feed REFERENCES feed ON DELETE CASCADE;
            CREATE TABLE other (x);
            """)
        #expect(try news.pruned("--run-now").status == 1)
        let printed = try news.pruned("check", "--schema", "news").checked().output
        #expect(
            printed.hasPrefix("table item\n  column id number\n") && !printed.contains("table other"),
            "\(printed)")
        try news.state.sandbox.takeSchema(printed, intoPreset: "reader")
        try news.pruned("check").checked()
        try news.pruned("--run-now").checked()
        #expect(try news.ids() == "2,3")
        #expect(try news.pruned("check", "--schema", "news").output == printed)
    }

    @Test(
        "what --schema cannot print is refused with what to do",
        arguments: [
            (["--schema", "news", "--config-only"], 64, "--schema cannot be combined with"),
            (["--schema", "nws"], 64, "did you mean \"news\"?"),
        ] as [([String], Int32, String)])
    func noSchema(arguments: [String], status: Int32, says: String) throws {
        var program = news.state.pruned("--config", news.file)
        program.arguments = ["check"] + arguments + program.arguments
        let ended = try program.run()
        #expect(ended.status == status && ended.errors.contains(says) && ended.output.isEmpty, "\(ended)")
    }

    @Test("a store that is refused does not keep the others from being pruned, by hand and by the service")
    func others() throws {
        try news.state.sample(records: 100)
        try news.store.query("ALTER TABLE item ADD COLUMN pinned INTEGER")
        let file = try news.state.configuration(
            PresetStore.configuration(of: news.store) + """
                [store.reader]
                path = "shared/reader.sqlite"
                [rule.items]
                store = "reader"
                table = "item"
                age_column = "timestamp"
                keep = "1ms"
                guard = { max_share = 1 }
                """)
        let ended = try news.pruned("--run-now", "--json")
        #expect(ended.status == 1, "\(ended)")
        let report = try ended.report()
        #expect(report["items"]?.outcome == "done" && report["news-items"]?.outcome == "failed", "\(ended)")
        #expect(report["news-items"]?.expired == nil)
        let service = try Service(on: news.state, arguments: ["--config", file])
        try service.waitForFirstRun()
        #expect(service.process.errors.contains("table item has an unknown column pinned"))
        try service.stop()
    }

    @Test("while the app has its file locked the run is skipped, and names the process")
    func locked() throws {
        let lock = Database(path: (news.store.path as NSString).deletingLastPathComponent + "/news.lock")
        let app = try lock.program.start(feeds: true)
        try app.feed("BEGIN EXCLUSIVE;\n.print locked\n")
        try eventually("the app has its lock") { app.output.contains("locked") }
        var program = news.state.pruned("--run-now", "--config", news.file)
        program.arguments.append("--json")
        let ended = try program.run()
        #expect(ended.status == 75, "\(ended)")
        let reason = try #require(try ended.report()["news-items"]?.reason)
        #expect(reason.contains("process \(app.processID) (sqlite3) has locked news.lock"), "\(ended)")
        #expect(try news.ids() == "1,2,3")
        app.send(SIGKILL)
        _ = try app.wait(seconds: 10)
        try program.run().checked()
        #expect(try news.ids() == "2,3")
    }

    @Test("a preset that has changed is taken at a reload, and the service says so")
    func reload() throws {
        let service = try Service(on: news.state, arguments: ["--config", news.file])
        try service.waitForFirstRun()
        try news.state.sandbox.write("presets/reader.toml", PresetStore.preset.replacing("30d", with: "40d"))
        var reload = news.state.pruned("reload")
        reload.environment["MAINPID"] = "\(service.process.processID)"
        try reload.run().checked()
        #expect(service.process.errors.contains("changed \(news.preset)"))
        #expect(service.process.errors.contains("keep was \"30d\", is \"40d\""))
        try news.state.sandbox.write("presets/reader.toml", PresetStore.preset.replacing("keep", with: "kep"))
        let refused = try reload.run()
        #expect(
            refused.status == 78 && refused.errors.contains("\(news.preset): rule.items.kep"), "\(refused)")
        let status = try news.pruned("status")
        #expect(status.output.contains("news-items"), "\(status)")
        try service.stop()
    }

    @Test(
        "the list has a line for each preset: its app and versions, the database, and what it does with rows")
    func list() throws {
        let ended = try news.pruned("presets").checked()
        #expect(ended.output.contains(#/^PRESET +APP AND VERSIONS +DATABASE +ROWS\n/#), "\(ended)")
        #expect(ended.output.contains(#/\nreader +Newsreader 1 to 3 +SQLite +delete\n/#), "\(ended)")
        let json = try news.pruned("presets", "--json").checked()
        let presets = try #require(json.members()["presets"] as? [[String: Any]])
        let reader = try #require(presets.first { $0["name"] as? String == "reader" })
        #expect(
            Set(reader.keys) == [
                "actions", "app", "database", "file", "name", "notes", "path", "tested_with", "url",
                "versions",
            ], "\(json)"
        )
        #expect(
            reader["notes"] as? String == "Starred items stay." && reader["path"] as? String == "~/news.db")
    }

    @Test(
        "those of the source tree are found by a program that was built there; where none is found it says where it looked"
    )
    func places() throws {
        _ = try news.state.sandbox.makeDirectory("elsewhere")
        let file = try news.state.configuration("", name: "elsewhere/pruned.toml")
        var program = news.state.pruned("presets", "--config", file)
        if Self.checkout != nil, program.path.contains("/.build/") {
            #expect(try program.run().checked().output.contains("\nnewsboat "))
        }
        let copy = news.state.sandbox.path + "/copied"
        try Program(path: "cp", arguments: [program.path, copy]).run().checked()
        program = Program(path: copy, arguments: program.arguments)
        let ended = try program.run().checked()
        let directory = (file as NSString).deletingLastPathComponent
        #expect(
            ended.output == "No preset was found in \(directory)/presets, /nonexistent/etc/presets,"
                + " /nonexistent/share/pruned/presets.\n", "\(ended)")
        program.arguments[0] = "suggest"
        program.arguments.insert(news.store.path, at: 1)
        let suggested = try program.run()
        #expect(
            suggested.errors.contains("\(directory)/presets, ") || suggested.output.contains("/nonexistent"))
        let other = Program(path: copy, arguments: ["presets", "newsboat", "--config", file])
        #expect(try other.run().errors.contains("none was found in \(directory)/presets, "))
    }

    @Test("a named one is printed as it is, and for an unknown one the nearest is asked for")
    func named() throws {
        #expect(try news.pruned("presets", "reader").checked().output == PresetStore.preset)
        let unknown = try news.pruned("presets", "raeder")
        #expect(unknown.status == 64 && unknown.errors.contains("did you mean \"reader\"?"), "\(unknown)")
        #expect(try news.pruned("presets", "reader", "--json").status == 64)
    }

    @Test("one that cannot be read is reported, and the others are listed")
    func broken() throws {
        let bad = try news.state.sandbox.write("presets/bad.toml", "app = 1\n")
        let ended = try news.pruned("presets")
        #expect(ended.status == 78 && ended.output.contains("Newsreader"), "\(ended)")
        #expect(ended.errors.contains("\(bad): app = 1: must be a string"), "\(ended)")
    }

    @Test("the presets of this checkout are read", .enabled(if: Self.checkout != nil))
    func ours() throws {
        let presets = try #require(Self.checkout)
        let files = try FileManager.default.contentsOfDirectory(atPath: presets).filter {
            $0.hasSuffix(".toml")
        }
        #expect(files.count >= 9)
        for file in files {
            try Program(path: "cp", arguments: ["\(presets)/\(file)", news.state.sandbox.path + "/presets/"])
                .run().checked()
        }
        let listed = try news.pruned("presets").checked().output
        for file in files {
            let name = String(file.dropLast(".toml".count))
            #expect(
                listed.contains("\n\(name) ") || listed.contains("\n\(name)\n")
                    || listed.hasPrefix(name + " "), "\(listed)")
            let text = try String(contentsOfFile: "\(presets)/\(file)", encoding: .utf8)
            let scheme = ["postgresql", "mariadb"].first { text.contains("\nurl = \"\($0)://") }
            let place = scheme.map { "url = \"\($0):///nowhere\"" } ?? "path = \"/nowhere.db\""
            _ = try news.state.configuration("[store.s]\n\(place)\npreset = \"\(name)\"\n")
            try news.pruned("check", "--config-only").checked()
        }
    }

    @Test(
        "a store that is pruned only while its app is closed is not pruned quietly",
        .enabled(if: checkout != nil))
    func quiet() throws {
        let presets = try #require(Self.checkout)
        for file in try FileManager.default.contentsOfDirectory(atPath: presets) {
            let text = try String(contentsOfFile: "\(presets)/\(file)", encoding: .utf8)
            #expect(!text.contains("\nskip_while_locked = ") || !text.contains("\nquiet = true"), "\(file)")
        }
    }

    private static let checkout: String? = {
        let directory = URL(filePath: #filePath).appending(path: "../../../systemd/presets").standardized.path
        return FileManager.default.fileExists(atPath: directory) ? directory : nil
    }()
}
