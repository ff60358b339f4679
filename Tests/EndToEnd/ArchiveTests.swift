import TestSupport
import Foundation
import Testing

/// What was deleted and can be put back, and what happens where it cannot be kept.
@Suite struct ArchiveTests {
    @Test(
        "a restore brings back the exact rows, which the next runs leave alone until their lease is over",
        .fakingTime)
    func restoreAndLease() throws {
        let store = try OddStore(rows: 1_000)
        let original = try store.copied()
        let expired = try store.expired()
        try store.run().run().checked()
        #expect(try store.expired() == 0)
        let runID = try #require(store.archivedRuns().first)

        let preview = try store.restore(runID, "--dry-run", "--json").run().checked().restored()
        #expect(preview.values.map(\.restored).reduce(0, +) == expired)
        #expect(try store.expired() == 0)
        let restored = try store.restore(runID, "--json").run().checked().restored()
        #expect(restored == preview)
        #expect(try store.differences(from: original) == OddStore.noDifferences)
        let second = try store.restore(runID, "--json").run().checked().restored()
        #expect(second.values.allSatisfy { $0.restored == 0 && $0.archived == 0 })

        for plan in ["walk", "index"] {
            let report = try store.run(plan: plan).run().checked().report()
            #expect(report.expired.values.allSatisfy { $0 == 0 })
        }
        #expect(try store.differences(from: original) == OddStore.noDifferences)
        let clock = try FakeClock(offset: "+31d", in: store.state.sandbox)
        var later = try store.run()
        later.arguments.append("--trust-clock")
        let report = try clock.applied(to: later).run().checked().report()
        #expect(report["keyless"]?.deleted == 1_000)
        #expect(report["archive"]?.deleted ?? 0 > 0)
        #expect(report["archive-leases"]?.deleted ?? 0 > 0)
    }

    @Test(
        "a restore by a clock that is wrong makes no lease shorter", .fakingTime,
        arguments: ["-400d", "@1970-01-02 00:00:00", "+10y"])
    func leaseOfWrongClock(offset: String) throws {
        let store = try OddStore(rows: 100)
        let original = try store.copied()
        try store.run().run().checked()
        let runID = try #require(store.archivedRuns().first)
        let clock = try FakeClock(offset: offset, in: store.state.sandbox)
        try clock.applied(to: store.restore(runID)).run().checked()
        let report = try store.run().run().checked().report()
        #expect(report.expired.values.allSatisfy { $0 == 0 })
        #expect(try store.differences(from: original) == OddStore.noDifferences)
    }

    @Test("a plan tells rows with a lease, and when that ends, apart from those that the rule keeps")
    func planOfLeases() throws {
        let state = try StateDirectory.holding(expired: 270, fresh: 0)
        try state.addRecords(5, days: 300)
        let file = try state.readRecordsFile("keep_last = 5\narchive = true\nguard.max_share = 1")
        let plan = { try state.pruned("plan", "--config", file).run().checked().output }
        let run = try state.pruned("--run-now", "--json", "--config", file).run().checked()
        #expect(try run.only(0).deleted == 270)
        let newest = "5 older rows stay: they are among the newest 5\n"
        #expect(try plan().contains("  kept     " + newest))
        let id = try #require(run.output.firstMatch(of: /"run_id":"([^"]+)"/)?.output.1)
        try state.pruned("restore", String(id), "--config", file).run().checked()
        let shown = try plan()
        let day = Date().addingTimeInterval(30 * 86_400).formatted(.iso8601.year().month().day())
        let leased =
            "  kept     270 older rows stay: they were put back; the last of their leases\n"
        #expect(shown.contains(leased), "\(shown)")
        #expect(shown.contains("\n           ends at \(day) "), "\(shown)")
        #expect(shown.contains("\n           " + newest), "\(shown)")
    }

    @Test("a lease is as long as the rule's keep, or, where rows go by a deadline, as its archive_keep")
    func leaseLength() throws {
        let state = try StateDirectory()
        try FileManager.default.createDirectory(atPath: state.path, withIntermediateDirectories: false)
        try Database(path: state.path + "/s.sqlite").query(
            """
            CREATE TABLE aging (id INTEGER PRIMARY KEY, at INTEGER);
            CREATE TABLE ending (id INTEGER PRIMARY KEY, at INTEGER);
            INSERT INTO aging VALUES (1, unixepoch() - 100 * 86400), (2, unixepoch());
            INSERT INTO ending VALUES (1, unixepoch() - 86400);
            """)
        let rules = [("aging", "age_column = \"at\"\nkeep = \"60d\""), ("ending", "expires_column = \"at\"")]
            .map {
                "[rule.\($0)]\ntable = \"\($0)\"\n\($1)\narchive = true\narchive_keep = \"5d\"\n"
            }
        let configuration = "[store.s]\npath = \"s.sqlite\"\n" + rules.joined()
        try state.runNow(configuration: configuration).run().checked()
        let archive = Database(path: state.path + "/archive/s/archive.sqlite")
        let runID = try archive.query("SELECT max(run_id) FROM batch")
        try state.pruned("restore", runID, "--config", try state.configuration(configuration)).run().checked()
        let leases =
            "SELECT \"table\", CAST(round((until - unixepoch()) / 86400.0) AS INTEGER) FROM lease ORDER BY 1"
        #expect(try archive.query(leases) == "aging|60\nending|5")
    }

    @Test("rows of a store that was renamed can be put back as the hint says, and stay")
    func renamedStore() throws {
        let store = try OddStore(rows: 100)
        let original = try store.copied()
        try store.run().run().checked()
        let runID = try #require(store.archivedRuns().first)
        let text = try String(contentsOfFile: store.configuration(), encoding: .utf8)
        let renamed = try store.state.configuration(
            text.replacing("[store.odd]", with: "[store.new]"), name: "renamed.toml")
        let refused = try store.state.pruned("restore", runID, "--config", renamed).run()
        #expect(refused.status == 78, "\(refused)")
        #expect(refused.errors.contains("[store.odd]") && refused.errors.contains("--config"), "\(refused)")
        try store.restore(runID).run().checked()
        #expect(try store.differences(from: original) == OddStore.noDifferences)
        let plan = try store.state.pruned("plan", "--config", renamed).run().checked()
        #expect(plan.output.contains("older rows stay: they were put back"))
        let next = try store.state.pruned("--run-now", "--json", "--config", renamed).run().checked()
        #expect(try next.report().deleted.values.allSatisfy { $0 == 0 })
        #expect(try store.differences(from: original) == OddStore.noDifferences)
    }

    @Test("a row that exists now is left as it is, and the archived one stays in the archive")
    func neverOverARow() throws {
        let store = try OddStore(rows: 1_000)
        try store.run().run().checked()
        let runID = try #require(store.archivedRuns().first)
        try store.database.query(
            """
            INSERT INTO named (a, b, at) SELECT 'id ' || value, 'new', unixepoch() FROM generate_series(1, 1000) WHERE true
            ON CONFLICT DO NOTHING;
            ALTER TABLE ordered DROP COLUMN d;
            DROP TABLE keyless;
            """)
        let first = try store.restore(runID, "--json").run()
        #expect(first.status == 1, "\(first)")
        let report = try first.restored()
        #expect(report["named"]?.outcome == "done" && report["keyless"]?.outcome == "failed")
        #expect(report["keyless"]?.reason?.contains("the table no longer exists") == true)
        for (rule, reason) in [("named", "exists"), ("ordered", "column_gone"), ("keyless", "table_gone")] {
            let part = try #require(report[rule])
            #expect(part.restored == 0 && part.archived > 0)
            #expect(part.skipped == part.skipped.mapValues { _ in 0 }.merging([reason: part.archived]) { $1 })
        }
        #expect(
            try store.database.count("SELECT count(*) FROM named WHERE b = 'new'")
                == report["named"]?.archived)
        #expect(try store.restore(runID, "--json").run().restored() == report)
        #expect(try store.restore(runID, "--rule", "named").run().status == 0)
        for table in ["ordered", "keyless"] {
            for options in [[], ["--dry-run"]] {
                var program = try store.restore(runID, "--rule", table)
                program.arguments += options
                let ended = try program.run()
                #expect(ended.status == 1 && ended.output.contains("restore the run again"), "\(ended)")
            }
        }
    }

    @Test("a restore has failed while a constraint refuses rows, and once all are there it may be repeated")
    func refusedRows() throws {
        let store = try OddStore(rows: 100)
        try store.run().run().checked()
        let runID = try #require(store.archivedRuns().first)
        try store.database.query("DROP TABLE keyless; CREATE TABLE keyless (a, b, c, d, at CHECK (at < 0))")
        let refused = try store.restore(runID).run()
        #expect(refused.status == 1 && refused.output.contains("a constraint"), "\(refused)")
        try store.database.query("DROP TABLE keyless; CREATE TABLE keyless (a, b, c, d, at)")
        for _ in 0..<2 { try store.restore(runID).run().checked() }
        #expect(try store.archive.count("SELECT sum(row_count) FROM batch") == 0)
    }

    @Test("a restore that would fire a trigger that writes elsewhere is refused, and can be done without it")
    func triggers() throws {
        let store = try OddStore(rows: 100)
        let original = try store.copied()
        try store.run().run().checked()
        let runID = try #require(store.archivedRuns().first)
        try store.database.query(
            """
            CREATE TABLE log (a);
            CREATE TRIGGER logged AFTER INSERT ON named BEGIN INSERT INTO log VALUES (new.a); END;
            """)
        let refused = try store.restore(runID, "--rule", "named").run()
        #expect(refused.status == 1)
        #expect(refused.output.contains("(trigger logged)\n    drop the trigger, restore, "), "\(refused)")
        #expect(try store.database.count("SELECT count(*) FROM log") == 0)
        try store.database.query("DROP TRIGGER logged")
        try store.restore(runID).run().checked()
        #expect(try store.differences(from: original) == OddStore.noDifferences)
    }

    @Test("a full archive holds its rules and keeps what it has; with more room they go on")
    func sizeLimit() throws {
        let store = try OddStore(rows: 4_000)
        let original = try store.copied()
        let expired = try store.expired()
        let held = try store.run("[archive]\nmax_size = \"300kB\"").run()
        #expect(held.status == 3, "\(held)")
        let report = try held.report()
        #expect(report.rules.contains { $0.outcome == "held" && $0.hint?.contains("raise max_size") == true })
        let left = try store.expired()
        #expect(left > 0 && left < expired)
        #expect(try store.archive.count("SELECT sum(row_count) FROM batch") == expired - left)
        #expect((FileTree.Entry(store.archive.path)?.size ?? 0) <= 300_000)

        try store.run().run().checked()
        for runID in try store.archivedRuns() { try store.restore(runID).run().checked() }
        #expect(try store.differences(from: original) == OddStore.noDifferences)
    }

    @Test("a full archive holds the rules of its store alone: another store has its own")
    func neighbour() throws {
        let store = try OddStore(rows: 4_000)
        let other = Database(path: store.state.path + "/other.sqlite")
        try other.query(
            "CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER); INSERT INTO t VALUES (1, 1000000000)")
        let held = try store.run(
            """
            archive.max_size = "300kB"
            store.other.path = "other.sqlite"
            rule.of-other = { store = "other", table = "t", age_column = "at", keep = "30d", archive = true, \
                guard = { max_share = 1 } }
            """
        ).run()
        #expect(held.status == 3, "\(held)")
        let report = try held.report()
        #expect(report.rules.contains { $0.outcome == "held" && $0.hint?.contains("raise max_size") == true })
        #expect(report.rules.first { $0.rule == "of-other" }?.deleted == 1, "\(held)")
    }

    @Test("a damaged archive keeps nobody from putting back what others have")
    func damagedNeighbour() throws {
        let store = try OddStore(rows: 100)
        try store.run().run().checked()
        let runID = try #require(store.archivedRuns().first)
        let other = store.state.path + "/archive/other"
        try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: false)
        try String(repeating: "no database", count: 1_000).write(
            toFile: other + "/archive.sqlite", atomically: false, encoding: .utf8)
        let list = try store.state.pruned("restore", "--config", try store.configuration()).run()
        #expect(list.status == 65 && list.output.contains(runID) && list.errors.contains(other), "\(list)")
        let restored = try store.restore(runID).run()
        #expect(restored.status == 65 && restored.output.contains("put back"), "\(restored)")
        #expect(try store.archive.count("SELECT sum(row_count) FROM batch") == 0)
    }

    @Test("rows of one store in the archive of another are not put back: pruned did not write them there")
    func foreignRows() throws {
        let store = try OddStore(rows: 100)
        try store.run().run().checked()
        let runID = try #require(store.archivedRuns().first)
        let (own, other) = (store.state.path + "/archive/odd", store.state.path + "/archive/other")
        try FileManager.default.copyItem(atPath: own, toPath: other)
        let list = try store.state.pruned("restore", "--config", try store.configuration()).run()
        #expect(list.status == 65 && list.errors.contains("it has rows of store odd"), "\(list)")
        try FileManager.default.removeItem(atPath: own)
        let restored = try store.restore(runID).run()
        #expect(restored.status == 65 && restored.errors.contains(other), "\(restored)")
    }

    @Test(
        "rules delete nothing while others can write to the directory of the archives, which may have leases")
    func foreignDirectory() throws {
        let store = try OddStore(rows: 100)
        try store.run().run().checked()
        let runID = try #require(store.archivedRuns().first)
        try store.restore(runID).run().checked()
        let original = try store.copied()
        chmod(store.state.path + "/archive", 0o770)
        let renamed = try String(contentsOfFile: store.configuration(), encoding: .utf8)
            .replacingOccurrences(of: "[store.odd]", with: "[store.new]")
            .replacingOccurrences(of: "archive = true", with: "")
        let ended = try store.state.runNow(configuration: renamed).run()
        #expect(ended.status == 74 && ended.errors.contains("others can write to it"), "\(ended)")
        let plan = try store.state.pruned("plan", "--config", store.state.configuration(renamed)).run()
        #expect(plan.status == 74 && plan.output.contains("3 would fail"), "\(plan)")
        #expect(try store.differences(from: original) == OddStore.noDifferences)
    }

    @Test("the archive of a store that has no rules any more is pruned as well")
    func withoutRules() throws {
        let store = try OddStore(rows: 100)
        try store.run().run().checked()
        try store.archive.query("UPDATE batch SET expires_at = 1700000000")
        let other = Database(path: store.state.path + "/other.sqlite")
        try other.query("CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER)")
        try store.state.runNow(
            configuration: """
                store.odd.path = "odd.sqlite"
                store.other.path = "other.sqlite"
                rule.r = { store = "other", table = "t", age_column = "at", keep = "30d" }
                """
        ).run().checked()
        #expect(try store.archive.count("SELECT count(*) FROM batch") == 0)
    }

    @Test("all archives together have a limit, too, if one is set")
    func total() throws {
        let store = try OddStore(rows: 1_000)
        try store.run().run().checked()
        try store.database.query("UPDATE named SET at = unixepoch() - 90 * 86400")
        // 60 kB for this one, and what it has.
        let size = try #require(FileTree.Entry(store.archive.path)?.size)
        let other = store.state.path + "/archive/other"
        try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: false)
        try FileManager.default.copyItem(atPath: store.archive.path, toPath: other + "/archive.sqlite")
        for (total, ends) in [(size * 2, Int32(3)), (size * 20, 0)] {
            let ended = try store.run("archive.max_total = \"\(total)B\"").run()
            #expect(ended.status == ends, "\(ended)")
            let hint = try ended.report()["named"]?.hint ?? ""
            #expect(hint.contains("raise max_total in [archive]") == (ends != 0), "\(ended)")
        }
    }

    @Test(
        "an archive that no store fills any more keeps its leases, and gives its rows back until they are over",
        arguments: ["/ledger", "/archive/gone"])
    func abandoned(place: String) throws {
        let store = try OddStore(rows: 1_000)
        let original = try store.copied()
        try store.run().run().checked()
        let runID = try #require(store.archivedRuns().first)
        try store.restore(runID, "--rule", "keyless").run().checked()
        let (keyless, named) = try (
            store.database.count("SELECT count(*) FROM keyless"),
            store.database.count("SELECT count(*) FROM named")
        )
        // As an older version left it, or a store whose name was another one.
        let old = store.state.path + place + "/archive.sqlite"
        var file = try store.configuration()
        if place != "/ledger" {
            let named = try String(contentsOfFile: file, encoding: .utf8)
                .replacingOccurrences(of: "[store.odd]", with: "[store.gone]")
            file = try store.state.configuration(named, name: "named-again.toml")
            try FileManager.default.createDirectory(
                atPath: store.state.path + place, withIntermediateDirectories: false,
                attributes: [.posixPermissions: 0o750])
            try store.archive.query("UPDATE lease SET store = 'gone'; UPDATE batch SET store = 'gone'")
        }
        try FileManager.default.moveItem(atPath: store.archive.path, toPath: old)

        try store.run().run().checked()
        #expect(try store.database.count("SELECT count(*) FROM keyless") == keyless)
        for rule in ["named", "ordered"] {
            try store.state.pruned("restore", runID, "--rule", rule, "--config", file).run().checked()
        }
        #expect(try store.database.count("SELECT count(*) FROM named") > named)
        #expect(try store.differences(from: original) == OddStore.noDifferences)

        let archive = Database(path: old)
        try archive.query("UPDATE batch SET expires_at = 1700000000; UPDATE lease SET until = 1700000000")
        try store.run().run().checked()
        #expect(try archive.count("SELECT (SELECT count(*) FROM batch) + (SELECT count(*) FROM lease)") == 0)
        #expect(try store.archive.count("SELECT sum(row_count) FROM batch") > 0)
    }

    @Test(
        "where the archive cannot be written, nothing is deleted and the report says why",
        arguments: [("damaged", 65), ("not a file", 74)] as [(String, Int32)])
    func unwritable(how: String, status: Int32) throws {
        let store = try OddStore(rows: 1_000)
        let original = try store.copied()
        try FileManager.default.createDirectory(
            atPath: store.state.path + "/archive/odd", withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o750])
        if how == "damaged" {
            try String(repeating: "no database", count: 1_000).write(
                toFile: store.archive.path, atomically: true, encoding: .utf8)
        } else {
            try FileManager.default.createDirectory(
                atPath: store.archive.path, withIntermediateDirectories: false)
        }
        let ended = try store.run().run()
        #expect(ended.status == status, "\(ended)")
        let report = try ended.report()
        #expect(report.rules.prefix(3).allSatisfy { $0.outcome == "failed" && $0.deleted == 0 })
        #expect(report.rules[0].reason?.contains(store.archive.path) == true, "\(ended)")
        #expect(try store.differences(from: original) == OddStore.noDifferences)
    }

    @Test("an unknown run is an error that names the known ones")
    func unknownRun() throws {
        let store = try OddStore(rows: 100)
        let nothing = try store.restore("20260101T000000Z-0000").run()
        #expect(nothing.status == 64 && nothing.errors.contains("the archive is empty"), "\(nothing)")
        try store.run().run().checked()
        let runID = try #require(store.archivedRuns().first)
        let unknown = try store.restore("20260101T000000Z-0000").run()
        #expect(unknown.status == 64 && unknown.errors.contains(runID), "\(unknown)")
        let rule = try store.restore(runID, "--rule", "nope").run()
        #expect(rule.status == 64 && rule.errors.contains("keyless"), "\(rule)")
    }
}
