import Foundation
import TestSupport
import Testing

/// The service as a plain process, with the test in the service manager's place.
@Suite(.serialized) struct ServiceTests {
    @Test("it says when it is ready, what comes next, and that it stops")
    func lifeCycle() throws {
        let state = try StateDirectory.sampled()
        let service = try Service(on: state)
        try service.waitForFirstRun()
        #expect(
            service.heard.contains { $0.contains("READY=1") && $0.contains("STATUS=") }, "\(service.heard)")
        #expect(try state.store.count(LargeStore.expired) == 0)
        let idle = try #require(service.heard.last)
        #expect(idle.contains(/STATUS=Idle; next: feed-cache at \d{4}-\d\d-\d\d \d\d:\d\d:\d\d/), "\(idle)")

        let sent = ContinuousClock.now
        let ended = try service.stop()
        #expect(ContinuousClock.now - sent < .seconds(1))
        #expect(ended.status == 0, "\(ended)")
        #expect(service.heard.contains { $0.contains("STOPPING=1") })
        #expect(ended.output.isEmpty)
        #expect(ended.errors.split(separator: "\n").allSatisfy { $0.hasPrefix("<") }, "\(ended.errors)")
        #expect(FileTree(state.path).names == StateDirectory.filesAtRest)
    }

    @Test("it creates the default store")
    func createsTheStore() throws {
        let state = try StateDirectory()
        let service = try Service(on: state)
        try service.waitForFirstRun()
        #expect(try state.store.rows(["item", "feed"]) == [0, 0])
        #expect(try service.stop().status == 0)
    }

    @Test("a reload is announced with its time, and ends with READY; a bad file leaves the old one in force")
    func reload() throws {
        let state = try StateDirectory.sampled(records: 100)
        let file = try state.configuration(Self.policy(column: "timestamp", keep: "100y"))
        let service = try Service(on: state, arguments: ["--config", file])
        try service.waitForFirstRun()

        for (text, isGood) in [
            (Self.policy(column: "timestamp", keep: "200y"), true), ("nonsense", false),
            (Self.policy(column: "timestamp", keep: "30d"), true),
        ] {
            _ = try state.configuration(text)
            let before = Self.monotonicMicroseconds
            service.process.send(SIGHUP)
            let reloading = try service.hear { $0.contains("RELOADING=1") }
            let time = try #require(reloading.firstMatch(of: /MONOTONIC_USEC=(\d+)/)).1
            #expect((before...Self.monotonicMicroseconds).contains(try #require(UInt64(time))))
            let ready = try service.hear { $0.contains("READY=1") }
            #expect(ready.contains("configuration refused: ") == !isGood, "\(ready)")
            #expect(ready.contains("next: only at"), "\(ready)")
        }
        #expect(service.process.errors.contains("configuration refused, the old one stays"))
        // The rule that keeps 30 days is in force: it deletes what the first did not.
        #expect(try state.store.count("SELECT count(*) FROM item") == 10)
        service.process.send(SIGUSR1)
        try eventually("the run") { try state.store.count("SELECT count(*) FROM item") == 1 }
        #expect(try service.stop().status == 0)
    }

    @Test("told to stop the moment it is ready, it stops")
    func stopsAtOnce() throws {
        let state = try StateDirectory.sampled(records: 100)
        for _ in 0..<20 {
            let service = try Service(on: state)
            try service.waitUntilReady()
            #expect(try service.stop().status == 0)
        }
    }

    @Test("USR1 runs all rules now")
    func runsOnRequest() throws {
        let state = try StateDirectory.sampled(records: 100)
        let service = try Service(on: state)
        try service.waitForFirstRun()
        try state.store.query(
            "INSERT INTO item VALUES (-1, 1000000000); INSERT INTO tweet VALUES (-1, 1000000000, '', 1, 0)")
        service.process.send(SIGUSR1)
        try eventually("the run") {
            try state.store.count(
                "SELECT (SELECT count(*) FROM item WHERE id < 0) + (SELECT count(*) FROM tweet WHERE id < 0)")
                == 0
        }
        #expect(try service.stop().status == 0)
    }

    @Test("asked for a run the moment it is ready, it runs, and does not end", arguments: [SIGUSR1, SIGHUP])
    func runsAtOnce(signal: Int32) throws {
        let state = try StateDirectory.sampled(records: 100)
        for _ in 0..<50 {
            let service = try Service(on: state)
            try service.waitUntilReady()
            service.process.send(signal)
            try service.hear { $0.hasPrefix(signal == SIGHUP ? "RELOADING=1" : "STATUS=Idle") }
            #expect(try service.stop().status == 0)
        }
    }

    @Test(
        "told to stop in the middle of a run it is gone within a second, and the next one goes on",
        arguments: [SIGTERM, SIGINT])
    func stopsInMidRun(signal: Int32) throws {
        let state = try LargeStore.copy()
        let unexpired = try state.store.count(LargeStore.unexpired)
        // Short batches, and an app that has the store open: the run takes longer than it takes to say how it goes.
        let app = try state.store.program.start(feeds: true)
        try app.feed("SELECT count(*) FROM item;\n")
        try eventually("the app's answer") { !app.output.isEmpty }
        let file = try state.configuration(
            """
            batch.lock_time = "1ms"
            store.reader.path = "shared/reader.sqlite"
            rule.read-records = { table = "read_record", age_column = "created_at", keep = "30d" }
            """)
        let service = try Service(on: state, arguments: ["--config", file])
        let status = try service.hear { $0.contains(/STATUS=Running read-records: [\d,]+ of [\d,]+ deleted/) }
        #expect(status.contains("rows/s"))
        let sent = ContinuousClock.now
        let ended = try service.stop(signal)
        #expect(ContinuousClock.now - sent < .seconds(1))
        #expect(ended.status == 0, "\(ended)")
        #expect(ended.errors.contains("stopped by"), "\(ended)")
        #expect(try state.store.count(LargeStore.expired) > 0)
        #expect(try state.store.health() == "ok")
        try app.wait().checked()

        let next = try Service(on: state)
        try next.waitForFirstRun()
        #expect(try state.store.count(LargeStore.expired) == 0)
        #expect(try state.store.count(LargeStore.unexpired) == unexpired)
        #expect(try next.stop().status == 0)
    }

    @Test("it pings the watchdog while idle, three times in its interval")
    func watchdog() throws {
        let state = try StateDirectory.sampled(records: 100)
        let service = try Service(on: state, environment: ["WATCHDOG_USEC": "600000"])
        try service.waitForFirstRun()
        let start = ContinuousClock.now
        for _ in 0..<5 { _ = try service.hear(seconds: 0.6) { $0.contains("WATCHDOG=1") } }
        #expect(ContinuousClock.now - start > .milliseconds(600))
        #expect(try service.stop().status == 0)
    }

    static func policy(column: String, keep: String) -> String {
        """
        store.reader.path = "shared/reader.sqlite"
        rule.only = { table = "item", age_column = "\(column)", keep = "\(keep)" }
        """
    }

    private static var monotonicMicroseconds: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000 + UInt64(time.tv_nsec) / 1_000
    }
}
