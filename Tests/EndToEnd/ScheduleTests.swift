import Foundation
import Testing

/// When the service runs what.
@Suite(.serialized) struct ScheduleTests {
    @Test("a restart within the interval does not run a rule again")
    func restart() throws {
        let state = try StateDirectory.sampled(records: 100)
        let first = try Service(on: state)
        try first.waitForFirstRun()
        try first.stop()
        let runs = try state.ledger.query("SELECT * FROM last_run")
        try state.store.query("INSERT INTO item VALUES (-1, 1000000000)")
        for _ in 0..<3 {
            let service = try Service(on: state, arguments: ["--verbose"])
            let ready = try service.waitUntilReady()
            #expect(ready.contains("STATUS=Idle; next: feed-cache at"), "\(ready)")
            let ended = try service.stop()
            #expect(ended.status == 0 && !ended.errors.contains("items: deleted"), "\(ended)")
        }
        #expect(try state.ledger.query("SELECT * FROM last_run") == runs)
        #expect(try state.store.count("SELECT count(*) FROM item WHERE id = -1") == 1)
    }

    @Test("a new rule on another table, or another store, is due at once, whatever its name ran before")
    func anotherRule() throws {
        let state = try StateDirectory.sampled(records: 100)
        let old = try state.configuration(
            """
            store.reader.path = "shared/reader.sqlite"
            rule.only = { table = "tweet", age_column = "created_at", keep = "100y" }
            """)
        let first = try Service(on: state, arguments: ["--config", old])
        try first.waitForFirstRun()
        try first.stop()
        let new = try state.configuration(
            ServiceTests.policy(column: "timestamp", keep: "30d"), name: "new.toml")
        let before = try state.pruned("status", "--json", "--config", new).run().checked().statusReport()
        #expect(before["only"]?.state == "new" && before["only"]?.due == true, "\(before)")
        #expect(before["only"]?.lastRunAt == nil)
        let second = try Service(on: state, arguments: ["--config", new])
        try second.waitForFirstRun()
        #expect(try state.store.count("SELECT count(*) FROM item") == 1)
        try second.stop()
        #expect(
            try state.pruned("status", "--json", "--config", new).run().checked()
                .statusReport()["only"]?.state == "done")

        let copy = state.sandbox.path + "/copy.sqlite"
        try state.store.query("INSERT INTO item VALUES (-1, 1000000000); VACUUM INTO '\(copy)'")
        let moved = try state.configuration(
            ServiceTests.policy(column: "timestamp", keep: "30d").replacing(
                "shared/reader.sqlite", with: copy),
            name: "moved.toml")
        let third = try Service(on: state, arguments: ["--config", moved])
        try third.waitForFirstRun()
        #expect(try Database(path: copy, prefix: []).count("SELECT count(*) FROM item") == 1)
        try third.stop()

        let back = try Service(on: state, arguments: ["--config", new])
        try back.waitForFirstRun()
        try back.stop()
        try state.store.query(
            "ALTER TABLE item ADD COLUMN seen INTEGER; UPDATE item SET seen = 1000000000;"
                + " INSERT INTO item VALUES (-2, unixepoch(), unixepoch())")
        let column = try state.configuration(
            ServiceTests.policy(column: "seen", keep: "30d"), name: "column.toml")
        let due = try state.pruned("status", "--json", "--config", column).run().checked().statusReport()
        #expect(due["only"]?.state == "new" && due["only"]?.due == true)
        let other = try Service(on: state, arguments: ["--config", column])
        try other.waitForFirstRun()
        #expect(try state.store.count("SELECT count(*) FROM item WHERE id <> -2") == 0)
        try other.stop()
    }

    @Test("a service that was off for days runs what it missed, once")
    func offForDays() throws {
        let state = try StateDirectory()
        let names = ["feed-cache", "items", "read-records", "timeline", "users"]
        try state.runNow.run().checked()
        try state.setLastRuns("unixepoch() - 6 * 86400")
        try state.sample(records: 100)
        let service = try Service(on: state, arguments: ["--verbose"])
        try service.waitForFirstRun()
        #expect(service.heard.last?.contains("next: feed-cache at") == true)
        let ended = try service.stop()
        for name in names {
            let runs = ended.errors.split(separator: "\n").filter { $0.contains("\(name): deleted") }
            #expect(runs.count == 1, "\(name): \(ended)")
        }
        #expect(try state.store.count(LargeStore.expired) == 0)
    }

    @Test(
        "a ledger that is damaged, or from a wrong clock, counts as none",
        arguments: [nil, "99999999999", "9e12", "-9e12"])
    func badLedger(lastRun: String?) throws {
        let state = try StateDirectory.sampled(records: 100)
        let file = try state.configuration(ServiceTests.policy(column: "timestamp", keep: "30d"))
        try state.pruned("--run-now", "--config", file).run().checked()
        try state.store.query("INSERT INTO item VALUES (-1, 1000000000)")
        if let lastRun {
            try state.setLastRuns(lastRun)
        } else {
            try state.sandbox.write("state/ledger/state.sqlite", "nonsense")
        }
        let service = try Service(on: state, arguments: ["--config", file])
        try service.waitForFirstRun()
        #expect(try state.store.count("SELECT count(*) FROM item WHERE id = -1") == 0)
        #expect(try service.stop().status == 0)
    }

    @Test("a rule of every second prunes rows as they expire")
    func everySecond() throws {
        let state = try StateDirectory.sampled(records: 100)
        let file = try state.configuration(
            """
            store.reader.path = "shared/reader.sqlite"
            rule.only = { table = "item", age_column = "timestamp", keep = "2s", every = "1s", guard = { max_share = 1 } }
            """)
        let service = try Service(on: state, arguments: ["--config", file])
        try service.waitForFirstRun()
        for round in 0..<3 {
            let start = ContinuousClock.now
            try state.store.query("INSERT INTO item VALUES (1000 + \(round), unixepoch())")
            try eventually("the expiry") { try state.store.count("SELECT count(*) FROM item") == 0 }
            let took = ContinuousClock.now - start
            #expect(took > .seconds(1.9) && took < .seconds(5), "\(took)")
        }
        let ended = try service.stop()
        #expect(ended.status == 0)
        #expect(!ended.errors.contains("failed"), "\(ended)")
    }

    @Test("what was run by hand in time is not run again when its timer fires")
    func runByHand() throws {
        let state = try StateDirectory.sampled(records: 100)
        let file = try state.configuration(
            """
            store.reader.path = "shared/reader.sqlite"
            rule.only = { table = "item", age_column = "timestamp", keep = "183d", every = "5s" }
            """)
        let service = try Service(on: state, arguments: ["--config", file])
        try service.waitForFirstRun()
        let planned = service.heard.last
        // What a run by hand in two seconds will have remembered.
        try state.setLastRuns("(julianday('now') - 2440587.5) * 86400 + 2")
        let next = try service.hear { $0 != planned }
        #expect(next.hasPrefix("STATUS=Idle; next: only at"), "\(next)")
        #expect(try service.stop().status == 0)
    }

    @Test("two services and a run by hand on one store take turns, and nothing fails")
    func takingTurns() throws {
        let state = try StateDirectory.sampled(records: 100)
        let file = try state.configuration(
            """
            store.reader.path = "\(state.storePath)"
            rule.only = { table = "item", age_column = "timestamp", keep = "2s", every = "1s", guard = { max_share = 1 } }
            """)
        let services = try [state, StateDirectory()].map {
            try Service(on: $0, arguments: ["--config", file])
        }
        // With a first look at the clock while no row speaks against it.
        for service in services { try service.waitForFirstRun() }
        for _ in 0..<20 {
            try state.store.query(
                "WITH n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 2000)"
                    + " INSERT OR IGNORE INTO item SELECT 5000 + i, 1000000000 FROM n")
            let byHand = try state.pruned("--run-now", "--json", "--config", file).run()
            #expect(byHand.status == 0, "\(byHand)")
        }
        #expect(try state.store.count("SELECT count(*) FROM item") == 0)
        for service in services {
            let ended = try service.stop()
            #expect(ended.status == 0)
            #expect(!ended.errors.contains("failed") && !ended.errors.contains("skipped"), "\(ended)")
        }
        #expect(try state.store.health() == "ok")
        #expect(
            FileTree(state.path).names == StateDirectory.filesWithoutArchive)
    }

    @Test("while a service prunes, a run by hand says so and leaves; the service goes on")
    func serviceHoldsTheStore() throws {
        let state = try LargeStore.copy()
        let service = try Service(on: state)
        try service.hear { $0.contains("STATUS=Running read-records") }
        service.process.sendToAll(SIGSTOP)
        let byHand = try state.runNow.run()
        #expect(byHand.status == 75, "\(byHand)")
        let reason = try byHand.report().rules.first?.reason
        #expect(reason?.contains("another run uses it: process \(service.process.processID)") == true)
        service.process.sendToAll(SIGCONT)
        try service.hear { $0.hasPrefix("STATUS=Idle") }
        #expect(try state.store.count(LargeStore.expired) == 0)
        #expect(try service.stop().status == 0)
    }

    /// What is faked is what programs read; the kernel's timers stay with the real clock. So it takes a signal to wake
    /// the service, where the kernel would do it when its clock is set. The steps are small enough to be believed.
    @Test(
        "whatever woke it, what is due by the clock on the wall runs, after the clock was set, too",
        .fakingTime)
    func clockJump() throws {
        let state = try StateDirectory.sampled(records: 100)
        let file = try state.configuration(
            """
            store.reader.path = "shared/reader.sqlite"
            rule.only = { table = "item", age_column = "timestamp", keep = "183d", every = "30min" }
            rule.often = { table = "feed", expires_column = "expires_at", every = "1s", dependents = ["article"] }
            """)
        let clock = try FakeClock(offset: "-3h", in: state.sandbox)
        let service = try Service(on: state, arguments: ["--config", file], clock: clock)
        try service.waitForFirstRun()
        let insert = "INSERT INTO item VALUES (-1, 1000000000)"
        try state.store.query(insert)
        for (offset, isDue) in [("-9600s", false), ("-2h", true)] {
            try clock.set(offset)
            service.process.send(SIGHUP)
            try service.hear { $0.contains("RELOADING=1") }
            try service.waitUntilReady()
            if isDue {
                try eventually("the run") {
                    try state.store.count("SELECT count(*) FROM item WHERE id = -1") == 0
                }
            } else {
                try service.hear { $0.hasPrefix("STATUS=Idle") }
                #expect(try state.store.count("SELECT count(*) FROM item WHERE id = -1") == 1)
            }
        }
        #expect(try service.stop().status == 0)
    }
}
