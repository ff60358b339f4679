import TestSupport
import Foundation
import Testing

/// One run by hand on a sample store, and what it says.
@Suite struct RunNowTests {
    /// What each rule of the built-in policy deletes, as SQL.
    private static let expired = [
        "timeline": "tweet WHERE created_at < unixepoch('now', '-30 days')",
        "read-records": "read_record WHERE created_at < unixepoch('now', '-30 days')",
        "feed-cache": "feed WHERE expires_at < unixepoch('now')",
        "items": "item WHERE timestamp < unixepoch('now', '-183 days')",
    ]
    private static let tables = ["read_record", "tweet", "feed", "article", "item", "user"]

    @Test("a run deletes exactly what is expired, by another program's count")
    func deletesWhatIsExpired() throws {
        let state = try StateDirectory.sampled(records: 20_000)
        var expected = try Self.expired.mapValues { try state.store.count("SELECT count(*) FROM \($0)") }
        let articles = try state.store.count(
            "SELECT count(*) FROM article NATURAL JOIN feed WHERE expires_at < unixepoch('now')")
        let users = try state.store.count("SELECT count(*) FROM user")
        #expect(expected.values.allSatisfy { $0 > 0 })
        expected["users"] = 0  // each has a tweet that stays

        let predicted = try state.pruned("--run-now", "--json", "--dry-run").run().checked().report()
        #expect(predicted.dryRun)
        #expect(predicted.outcome == "done")
        #expect(predicted.expired == expected)
        #expect(predicted.deleted.values.allSatisfy { $0 == 0 })

        let report = try state.runNow.run().checked().report()
        #expect(!report.dryRun)
        #expect(report.outcome == "done")
        #expect(report.expired == expected)
        #expect(report.deleted == expected)
        #expect(report.rules.allSatisfy { ($0.batches > 0) == ($0.rule != "users") })
        #expect(report["feed-cache"]?.dependentsDeleted == articles)
        #expect(report.rules.allSatisfy { $0.keptImplausible == 0 && $0.reason == nil })
        for condition in Self.expired.values {
            #expect(try state.store.count("SELECT count(*) FROM \(condition)") == 0)
        }
        #expect(try state.store.count("SELECT count(*) FROM user") == users)
        #expect(try state.store.health() == "ok")
    }

    @Test("a second run deletes nothing")
    func secondRunDeletesNothing() throws {
        let state = try StateDirectory.sampled()
        try state.runNow.run().checked()
        let rows = try state.store.rows(Self.tables)
        let second = try state.runNow.run().checked().report()
        #expect(second.expired.values.allSatisfy { $0 == 0 })
        #expect(second.deleted.values.allSatisfy { $0 == 0 })
        #expect(try state.store.rows(Self.tables) == rows)
    }

    @Test("only the named rules run")
    func onlyTheNamedRules() throws {
        let state = try StateDirectory.sampled()
        let before = try state.store.rows(Self.tables)
        let report = try state.pruned("--run-now", "--json", "--rule", "items", "--rule", "timeline").run()
            .checked().report()
        #expect(report.rules.map(\.rule) == ["items", "timeline"])
        let after = try state.store.rows(Self.tables)
        let changed = zip(Self.tables, zip(before, after)).filter { $1.0 != $1.1 }.map(\.0)
        #expect(changed == ["tweet", "item"])
    }

    @Test("a run creates the default store, which another run finds")
    func createsTheDefaultStore() throws {
        let state = try StateDirectory("new/state")
        #expect(try state.runNow.run().checked().report().outcome == "done")
        #expect(FileTree(state.path).names == StateDirectory.filesOfEmptyStore)
        #expect(try state.store.rows(Self.tables) == [0, 0, 0, 0, 0, 0])
        #expect(FileTree.Entry(state.path)?.permissions == 0o750)
        #expect(FileTree.Entry(state.storePath)?.permissions == 0o600)
    }

    @Test("a run leaves nothing beside the store but when rules last ran, and what the clock said")
    func leavesNothingBeside() throws {
        let state = try StateDirectory.sampled()
        try state.runNow.run().checked()
        #expect(FileTree(state.path).names == StateDirectory.filesAtRest)
    }

    @Test("a dry run writes nothing", arguments: ["quiet", "open in an app", "missing"])
    func dryRunWritesNothing(store: String) throws {
        let state = try StateDirectory()
        var app: RunningProgram?
        if store != "missing" { try state.sample(records: 1_000) }
        if store == "open in an app" {
            app = try state.store.program.start(feeds: true)
            try app?.feed("DELETE FROM item WHERE id = 1; SELECT 'deleted';\n")
            try eventually { app?.output.contains("deleted") == true }
        }
        let before = FileTree(state.sandbox.path)
        #expect(store != "open in an app" || before.names.contains("state/shared/reader.sqlite-wal"))
        for arguments in [["--dry-run"], ["--dry-run", "--json"], ["--dry-run", "--rule", "timeline"]] {
            var program = state.pruned("--run-now")
            program.arguments += arguments
            let ended = try program.run()
            #expect(ended.status == 0, "\(ended)")
        }
        let after = FileTree(state.sandbox.path)
        #expect(after.names == before.names)
        for (name, entry) in before.entries where !name.hasSuffix("-shm") {
            #expect(after.entries[name] == entry, "\(name)")
        }
        _ = try app?.wait()
    }

    @Test("a built-in run and a run by its own file delete the same")
    func defaultsAsAFile() throws {
        let first = try StateDirectory.sampled()
        let second = try first.copied()
        let defaults = try first.pruned("check", "--defaults").run().checked()
        #expect(defaults.errors.isEmpty)
        let file = try second.configuration(defaults.output)
        let check = try second.pruned("check", "--config", file).run()
        #expect(check.status == 0, "\(check)")
        let builtIn = try first.runNow.run().checked().report()
        let fromFile = try second.pruned("--run-now", "--json", "--config", file).run().checked().report()
        #expect(builtIn.deleted == fromFile.deleted)
        #expect(builtIn.rules.map(\.rule) == fromFile.rules.map(\.rule))
        let dump = Self.tables.map { "SELECT * FROM \($0);" }.joined()
        #expect(try first.store.query(dump) == second.store.query(dump))
    }
}
