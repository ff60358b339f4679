import TestSupport
import Foundation
import Testing

/// What goes to standard output and to standard error, and in which form.
@Suite struct OutputTests {
    @Test(
        "output that cannot be written is an error",
        arguments: [["--run-now"], ["--run-now", "--json"], ["check"], ["check", "--defaults"]])
    func fullOutput(arguments: [String]) throws {
        var program = try StateDirectory.sampled(records: 100).runNow
        program.arguments = arguments + program.arguments.filter { $0 != "--run-now" && $0 != "--json" }
        program.prefix = ["/bin/sh", "-c", "exec \"$0\" \"$@\" > /dev/full"]
        let ended = try program.run()
        #expect(ended.status == 74, "\(ended)")
        #expect(ended.errors.contains("cannot write standard output: No space left on device"))
    }

    @Test(
        "--json is one JSON object on one line, with the documented keys and types", arguments: [false, true])
    func json(dryRun: Bool) throws {
        let state = try StateDirectory.sampled()
        var program = state.runNow
        program.arguments += dryRun ? ["--dry-run"] : []
        let ended = try program.run()
        #expect(ended.status == 0)
        #expect(ended.errors.isEmpty)
        #expect(ended.output.hasSuffix("}\n") && ended.output.dropLast().allSatisfy { !$0.isNewline })

        let report = try ended.members()
        let keys = [
            "run_id", "started_at", "duration_ms", "dry_run", "outcome", "rules", "reclaimed", "remarks",
            "sizes",
        ]
        #expect(Set(report.keys) == Set(keys))
        #expect((report["reclaimed"] as? [Any])?.isEmpty == true)
        #expect((report["run_id"] as? String)?.wholeMatch(of: /\d{8}T\d{6}Z-[0-9a-f]{4}/) != nil)
        #expect(isInstant(report["started_at"]))
        #expect(report["duration_ms"] is Double)
        #expect(report["dry_run"] as? Bool == dryRun)
        #expect(report["outcome"] as? String == "done")
        let rules = try #require(report["rules"] as? [[String: Any]])
        #expect(rules.count == 5)
        for rule in rules {
            for key in ["rule", "store", "table", "outcome"] { #expect(rule[key] is String, "\(key)") }
            for key in ["expired", "deleted", "dependents_deleted", "kept_implausible", "batches"] {
                #expect(rule[key] is Int, "\(key)")
            }
            for key in ["longest_batch_ms", "duration_ms"] { #expect(rule[key] is Double, "\(key)") }
            for key in ["waits_for", "reason", "hint"] { #expect(rule[key] is NSNull, "\(key)") }
            #expect(isInstant(rule["cutoff"]))
        }
    }

    @Test("a failed rule says why in JSON, and the report is still one object")
    func jsonOfAFailure() throws {
        let state = try StateDirectory.sampled(records: 10)
        chmod(state.storePath, 0o400)
        let ended = try state.runNow.run()
        let report = try ended.report()
        #expect(report.outcome == "failed")
        #expect(report.rules.allSatisfy { $0.reason?.contains(state.storePath) == true })
    }

    @Test("a pipe gets a table and no progress line, escape or carriage return")
    func pipedText() throws {
        let state = try StateDirectory.sampled()
        let ended = try state.pruned("--run-now").run()
        #expect(ended.errors.isEmpty)
        #expect(!ended.output.contains("\u{1B}") && !ended.output.contains("\r"))
        #expect(ended.output.contains("read-records  done"))
    }

    @Test("a terminal shows progress on a line that is gone in the end")
    func progressOnATerminal() throws {
        let state = try StateDirectory.sampled(records: 200_000)
        let run = state.pruned("--run-now")
        let terminal = Program(
            path: "script", arguments: ["-qec", run.line.joined(separator: " "), "/dev/null"])
        let shown = try terminal.run().checked().output
        #expect(shown.contains(#/\r\u{1B}\[K[a-z-]+: [\d,]+ of [\d,]+ deleted, \d+%, [\d,]+ rows/s/#))
        let lines = shown.components(separatedBy: "\r\n").map {
            $0.components(separatedBy: "\r\u{1B}[K").last ?? ""
        }
        #expect(lines.first?.hasPrefix("run 2") == true, "\(lines)")
        #expect(!lines.contains { $0.contains("rows/s") })
    }

    @Test(
        "progress stays on one line of a narrow terminal, and of all that it tells the rate stays",
        arguments: [30, 50])
    func progressOnANarrowTerminal(columns: Int) throws {
        let state = try StateDirectory.sampled(records: 200_000)
        let line = "stty cols \(columns); " + state.pruned("--run-now").line.joined(separator: " ")
        let shown = try Program(path: "script", arguments: ["-qec", line, "/dev/null"]).run().checked().output
        let progress = shown.components(separatedBy: "\r\u{1B}[K").dropFirst().dropLast()
        #expect(!progress.isEmpty && progress.allSatisfy { $0.count < columns }, "\(progress)")
        let rules = progress.filter { !$0.isEmpty && !$0.hasPrefix("reclaiming") }
        // Whether a run is so slow that the time left is told is the machine's.
        let whole = #/ rows/s(, [^…]+ left)?$/#
        #expect(!rules.isEmpty && rules.allSatisfy { $0.contains(whole) }, "\(progress)")
    }

    @Test(
        "a narrow terminal is respected by every screen",
        arguments: [["status"], ["plan"], ["history"], ["--run-now"]])
    func narrowTerminal(arguments: [String]) throws {
        let state = try StateDirectory.sampled()
        try state.runNow.run().checked()
        var program = state.pruned()
        program.arguments = arguments + program.arguments
        let line = "stty cols 66; " + program.line.joined(separator: " ")
        let shown = try Program(path: "script", arguments: ["-qec", line, "/dev/null"]).run().checked().output
        let lines = shown.components(separatedBy: "\r\n").map {
            ($0.components(separatedBy: "\r\u{1B}[K").last ?? "").replacing(#/\u{1B}\[\d*m/#, with: "")
        }
        // A path is one word: the state directory, and the store's.
        let tooLong = lines.filter { $0.count > 66 && !$0.contains(state.path) }
        #expect(lines.count > 3 && tooLong.isEmpty, "\(tooLong)")
    }

    @Test(
        "a narrow terminal leaves columns out before a name says nothing, and breaks no header",
        arguments: [80, 60, 40])
    func narrowTables(columns: Int) throws {
        let state = try StateDirectory.sampled()
        let file = try state.configuration(
            """
            store.reader.path = "shared/reader.sqlite"
            archive.max_size = "1kB"
            rule.feed-cache = { table = "feed", expires_column = "expires_at", dependents = ["article"] }
            rule.read-records = { table = "read_record", age_column = "created_at", keep = "1d", archive = true, guard.max_share = 1 }
            """)
        #expect(try state.pruned("--run-now", "--config", file).run().status == 3)
        for command in ["status", "history", "--run-now"] {
            var program = state.pruned("--config", file)
            program.arguments = [command] + program.arguments
            let line = "stty cols \(columns); " + program.line.joined(separator: " ") + " 2>/dev/null"
            var terminal = Program(path: "script", arguments: ["-qec", line, "/dev/null"])
            terminal.environment = ["NO_COLOR": "1"]
            let shown = try terminal.run().output.replacing("\r\u{1B}[K", with: "")
            let lines = shown.components(separatedBy: "\r\n")
            #expect(lines.allSatisfy { $0.count <= columns }, "\(shown)")
            let header = try #require(lines.first { $0.hasPrefix("rule ") || $0.hasPrefix("when ") })
            let words = [
                "rule", "when", "what", "last", "run", "deleted", "took", "due", "state", "outcome", "by",
                "kept",
                "before",
            ]
            #expect(header.split(separator: " ").allSatisfy { words.contains(String($0)) }, "\(shown)")
            #expect(header.contains(command == "status" ? "state" : "outcome"), "\(shown)")
            #expect(
                shown.contains("read-records ") && !shown.contains("…") || command == "status", "\(shown)")
            guard command == "status" else { continue }
            #expect(header.contains("took") == (columns == 80), "\(shown)")
            #expect(lines.contains { $0.contains(/^feed-cache .* done$/) }, "\(shown)")
            #expect(lines.contains { $0.contains(/^read-records .*archive full +held$/) }, "\(shown)")
        }
    }

    @Test("a name in the history may take the columns that are free")
    func freeColumns() throws {
        let state = try StateDirectory.sampled(records: 100)
        let name = "a-name-of-more-than-22-letters"
        let file = try state.configuration(
            """
            store.reader.path = "shared/reader.sqlite"
            rule.\(name) = { table = "item", age_column = "timestamp", keep = "30d" }
            """)
        try state.pruned("--run-now", "--config", file).run().checked()
        let line = state.pruned("history", "--config", file).line.joined(separator: " ")
        let shown = try Program(path: "script", arguments: ["-qec", line, "/dev/null"]).run().checked()
        #expect(shown.output.contains(" \(name) "), "\(shown)")
    }

    @Test(
        "on a terminal a run ends with what came of it: the file, the rows, until when they can be put back")
    func closingLine() throws {
        let state = try StateDirectory.sampled()
        let file = try state.configuration(
            """
            store.reader.path = "shared/reader.sqlite"
            rule.items = { table = "item", age_column = "timestamp", keep = "30d", archive = true, guard.max_share = 1 }
            rule.records = { table = "read_record", age_column = "created_at", keep = "30d", guard.max_share = 1 }
            """)
        func shown(_ rule: String) throws -> String {
            let line = state.pruned("--run-now", "--rule", rule, "--config", file).line.joined(separator: " ")
            return try Program(path: "script", arguments: ["-qec", line, "/dev/null"]).run().checked().output
        }
        let end =
            #/(?m)^reader\.sqlite: [\d.]+ .?B as before(, [\d.]+ .?B of it free)?; [\d,]+ rows? deleted/#
        let (archived, gone) = (try shown("items"), try shown("records"))
        #expect(archived.firstMatch(of: end) != nil && gone.firstMatch(of: end) != nil, "\(archived)\(gone)")
        #expect(archived.contains(/deleted,\s+restorable until \d{4}-\d\d-\d\d\s*$/), "\(archived)")
        #expect(!gone.contains("restorable"), "\(gone)")
        #expect(
            try !state.pruned("--run-now", "--config", file).run().checked().output.contains(
                "shared/reader.sqlite:")
        )
    }

    @Test("a reader that goes away ends nothing")
    func closedPipe() throws {
        let state = try StateDirectory.sampled()
        let shell = Program(
            path: "bash",
            arguments: [
                "-c", "set -o pipefail; \"$@\" | true", "bash", Program.pruned.path, "--run-now",
                "--state-dir",
                state.path,
            ])
        #expect(try shell.run().status == 0)
        #expect(try state.store.count("SELECT count(*) FROM item") == 61)
    }

    @Test("the report is printed even where nothing can be remembered")
    func reportWithoutLedger() throws {
        let state = try StateDirectory.sampled()
        try state.pruned("--run-now", "--rule", "timeline").run().checked()
        let reader = try state.ledgerReader()
        let ended = try state.runNow.run()
        #expect(ended.status == 75, "\(ended)")
        #expect(ended.errors.contains("cannot remember the run in \(state.ledger.path): database is locked"))
        #expect(try ended.report()["items"]?.deleted == 39)
        try reader.wait().checked()
    }

    private func isInstant(_ value: Any?) -> Bool {
        guard let text = value as? String, text.hasSuffix("Z") else { return false }
        return (try? Date(text, strategy: .iso8601)) != nil
    }
}
