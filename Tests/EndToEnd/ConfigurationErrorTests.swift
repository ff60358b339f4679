import Foundation
import Testing

/// A configuration that is wrong: refused with what is wrong and what to do, before anything is deleted.
@Suite struct ConfigurationErrorTests {
    private static func rule(
        table: String = "item", column: String = "timestamp", keep: String = "keep = \"1d\""
    ) -> String {
        "[store.s]\npath = \"shared/reader.sqlite\"\n[rule.r]\ntable = \"\(table)\"\nage_column = \"\(column)\"\n\(keep)\n"
    }

    @Test(
        "says file, key, value and reason on one line and a hint on the next, and deletes nothing",
        arguments: [
            (rule(keep: "keep = 30"), "rule.r.keep = 30: a number needs a unit", "\"30d\""),
            (rule(keep: "keep = \"0d\""), "rule.r.keep = \"0d\": a span must be longer than zero", "30d"),
            (rule(keep: "keep = \"-1d\""), "rule.r.keep = \"-1d\": a span cannot be negative", "30d"),
            (
                rule(keep: "keep = \"99999999999999999999d\""),
                "rule.r.keep = \"99999999999999999999d\": the span is longer than", "leave the rule out"
            ),
            (
                rule(keep: "keep = \"30d"), "line 6, column 8: syntax error: the closing quote is missing",
                "\""
            ),
            (rule(keep: "kep = \"30d\""), "rule.r.kep: unknown key", "did you mean \"keep\"?"),
            (rule(keep: ""), "rule.r: has no keep", "keep = \"30d\""),
        ])
    func badFile(text: String, message: String, hint: String) throws {
        let state = try StateDirectory.sampled(records: 100)
        let file = try state.configuration(text)
        try expectRefusal(of: ["--config", file], on: state, message: "\(file): \(message)", hint: hint)
    }

    @Test("a file that is named must exist")
    func missingFile() throws {
        let state = try StateDirectory.sampled(records: 100)
        try expectRefusal(
            of: ["--config", "/nowhere/pruned.toml"], on: state,
            message: "/nowhere/pruned.toml: cannot be read: No such file or directory", hint: "create it")
    }

    @Test(
        "the archive is no store whose rows a rule may delete",
        arguments: ["archive/reader/archive.sqlite", "./ledger/archive.sqlite"])
    func archiveAsStore(path: String) throws {
        let state = try StateDirectory.sampled(records: 100)
        try state.runNow.run().checked()
        let file = try state.configuration(
            """
            [store.a]
            path = "\(path)"
            [rule.r]
            table = "batch"
            expires_column = "archived_at"
            """)
        try expectRefusal(of: ["--config", file], on: state, message: "is an archive", hint: "archive_keep")
    }

    @Test("what a store's schema holds reaches no terminal but escaped")
    func escapedNames() throws {
        let state = try StateDirectory.sampled(records: 10)
        try state.store.query("CREATE TABLE \"a\u{1B}[31m\nb\" (x)")
        let ended = try state.runNow(configuration: Self.rule(table: "nope")).run()
        #expect(ended.status == 1, "\(ended)")
        #expect(ended.errors.contains("a\\u{1B}[31m\\nb") && !ended.errors.contains("\u{1B}"), "\(ended)")
    }

    @Test(
        "a rule that does not fit its store's schema names what is there",
        arguments: [
            (
                rule(table: "itm"), "there is no table \"itm\"",
                "did you mean item?"
            ),
            (rule(column: "time"), "table item has no column \"time\"", "id, timestamp"),
            (rule(table: "old"), "old is a view", "name the table that has its rows"),
            (
                rule(table: "feed", column: "fetched_at"), "would also delete rows of article",
                "dependents = [\"article\"]"
            ),
        ])
    func misfit(text: String, message: String, hint: String) throws {
        let state = try StateDirectory.sampled(records: 100)
        try state.store.query("CREATE VIEW old AS SELECT * FROM item")
        let file = try state.configuration(text)
        for command in ["--run-now", "plan", "check"] {
            let ended = try state.pruned(command, "--config", file).run()
            #expect(ended.status == 1, "\(ended)")
            let words = (ended.output + ended.errors).split(whereSeparator: \.isWhitespace)
            let said = words.joined(separator: " ")
            #expect(said.contains(message) && said.contains(hint), "\(ended)")
        }
    }

    @Test("a store that an app's upgrade changed fails its rule alone: by hand, at a start, at a reload")
    func misfitBesideOthers() throws {
        let state = try StateDirectory.sampled(records: 100)
        let apps = try ["a", "b"].map { name in
            let app = Database(path: state.sandbox.path + "/\(name).sqlite")
            try app.query(
                "CREATE TABLE log (at INTEGER); INSERT INTO log VALUES (unixepoch() - 9000000), (unixepoch())"
            )
            return app
        }
        try apps[1].query("ALTER TABLE log RENAME COLUMN at TO created")
        let rules = ["a", "b"].map {
            "store.\($0).path = \"\(state.sandbox.path)/\($0).sqlite\"\nrule.\($0) = { store = \"\($0)\", table = \"log\", age_column = \"at\", keep = \"5d\" }\n"
        }.joined()
        let file = try state.configuration(rules)
        let byHand = try state.pruned("--run-now", "--json", "--config", file).run()
        #expect(byHand.status == 1, "\(byHand)")
        let report = try byHand.report()
        #expect(report["a"]?.deleted == 1 && report["b"]?.outcome == "failed", "\(byHand)")
        #expect(report["b"]?.hint?.contains("its columns are created") == true, "\(byHand)")

        let service = try Service(on: state, arguments: ["--config", file])
        try service.waitForFirstRun()
        let failures = { service.process.errors.components(separatedBy: "b: failed: ").count - 1 }
        #expect(failures() == 1, "\(service.process.errors)")
        try apps[0].query("INSERT INTO log VALUES (unixepoch() - 9000000)")
        _ = try state.configuration(rules.replacing("\"5d\"", with: "\"6d\""))
        service.process.send(SIGHUP)
        try eventually("the new configuration is in force") {
            service.process.errors.contains("configuration read again")
        }
        service.process.send(SIGUSR1)
        try eventually("the other store is pruned") {
            try apps[0].count("SELECT count(*) FROM log") == 1
        }
        #expect(try service.stop().status == 0)
        #expect(failures() == 1, "\(service.process.errors)")
        #expect(try apps[1].count("SELECT count(*) FROM log") == 2)
    }

    /// The run, the dry run, check and the service all refuse.
    private func expectRefusal(
        of options: [String], on state: StateDirectory, message: String, hint: String
    ) throws {
        let before = FileTree(state.sandbox.path)
        for command in [["--run-now"], ["--run-now", "--json"], ["--run-now", "--dry-run"], ["check"], []] {
            var program = state.pruned()
            program.arguments = command + options + program.arguments
            let ended = try program.run(seconds: 10)
            #expect(ended.status == 78, "\(ended)")
            #expect(command == ["check"] || ended.output.isEmpty, "\(ended)")
            let lines = ended.errors.split(separator: "\n")
            #expect(lines.count == 2, "\(ended)")
            #expect(lines.first?.hasPrefix("pruned: ") == true)
            #expect(lines.first?.contains(message) == true, "\(ended)")
            #expect(lines.last?.hasPrefix("        ") == true)
            #expect(lines.last?.contains(hint) == true, "\(ended)")
        }
        // What was refused is kept in the history, where there is a state directory.
        let others = { (tree: FileTree) in
            tree.besides("state/ledger").filter { !$0.key.hasPrefix("state/ledger/") }
        }
        #expect(others(FileTree(state.sandbox.path)) == others(before))
    }
}
