import TestSupport
import Foundation
import Testing

/// The file after a run.
@Suite(.serialized) struct ReclaimTests {
    /// The built-in policy, but for the space.
    private func keepingSpace(_ state: StateDirectory) throws -> Program {
        let policy = try Program(path: Program.pruned.path, arguments: ["check", "--defaults"]).run()
            .checked()
        return try state.runNow(
            configuration: policy.output.replacingOccurrences(of: "reclaim = true", with: "reclaim = false"))
    }

    private func size(_ path: String) throws -> Int {
        try #require(FileTree.Entry(path)).size
    }

    /// A store from which everything has been deleted that the rules let go, and nothing given back.
    private func deleted(records: Int, journal: String = "WAL") throws -> StateDirectory {
        let state = try StateDirectory.sampled(records: records)
        try state.store.query("PRAGMA journal_mode = \(journal)")
        try keepingSpace(state).run().checked()
        return state
    }

    @Test(
        "a run gives the space of what it deleted back to the file system, and tells it",
        arguments: [true, false])
    func gives(isJSON: Bool) throws {
        let state = try LargeStore.copy()
        let (before, unexpired) = (try size(state.storePath), try state.store.count(LargeStore.unexpired))
        let ended = try (isJSON ? state.runNow : state.pruned("--run-now")).run()
        #expect(ended.status == 0, "\(ended)")
        let after = try size(state.storePath)
        if isJSON {
            let reclaimed = try ended.report().reclaimed ?? []
            #expect(reclaimed.map(\.store) == ["reader"])
            #expect(reclaimed.map(\.outcome) == ["done"])
            #expect(reclaimed.map(\.reclaimedBytes) == [before - after])
            #expect(reclaimed.map(\.freeBytes) == [0])
        } else {
            #expect(ended.output.contains(/\nreader: gave back \d+\.\d MB in \d+/), "\(ended)")
        }
        #expect(try state.store.health() == "ok")
        #expect(try state.store.count(LargeStore.expired) == 0)
        #expect(try state.store.count(LargeStore.unexpired) == unexpired)
        // What SQLite leaves empty in the pages of an index as rows come is no free page.
        try state.store.query("VACUUM INTO '\(state.sandbox.path)/packed.sqlite'")
        #expect(try Double(after) < 1.15 * Double(size(state.sandbox.path + "/packed.sqlite")))
        #expect(try state.runNow.run().checked().report().reclaimed?.isEmpty == true)
    }

    @Test("reclaim = false leaves the file as large as it is")
    func leaves() throws {
        let state = try StateDirectory.sampled(records: 100_000)
        let before = try size(state.storePath)
        let ended = try keepingSpace(state).run().checked()
        #expect(try ended.report().reclaimed?.isEmpty == true)
        #expect(try size(state.storePath) == before)
        #expect(try state.store.count("PRAGMA freelist_count") > 256)
    }

    @Test(
        "a store of another app keeps its vacuum mode; INCREMENTAL ones shrink", arguments: [0, 1, 2],
        ["WAL", "DELETE"])
    func foreign(vacuum: Int, journal: String) throws {
        let state = try StateDirectory()
        _ = try state.sandbox.makeDirectory("state")
        let log = Database(path: state.path + "/log.sqlite")
        try log.query(
            """
            PRAGMA auto_vacuum = \(vacuum); PRAGMA journal_mode = \(journal);
            CREATE TABLE log (id INTEGER PRIMARY KEY, at INTEGER, text TEXT);
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
            INSERT INTO log SELECT i, unixepoch() - i * 10, hex(zeroblob(100)) FROM n;
            """)
        let before = try size(log.path)
        let ended = try state.runNow(
            configuration: """
                store.log.path = "log.sqlite"
                rule.log = { table = "log", age_column = "at", keep = "1d", guard = { max_share = 1 } }
                """
        ).run().checked()
        #expect(try ended.report().reclaimed?.count == (vacuum == 2 ? 1 : 0), "\(ended)")
        let after = try size(log.path)
        #expect(vacuum == 0 ? after == before : after < before * 6 / 10, "\(before) \(after)")
        #expect(
            try log.query("PRAGMA auto_vacuum; PRAGMA journal_mode") == "\(vacuum)\n\(journal.lowercased())")
        #expect(try log.health() == "ok")
    }

    @Test("a signal ends it after the step in hand; the rules were done, and the next run goes on")
    func stops() throws {
        let state = try deleted(records: 1_000_000)
        let run = try inMidReclaim(state)
        run.send(SIGTERM)
        let ended = try run.wait(seconds: 10)
        #expect(ended.status == 0, "\(ended)")
        let report = try ended.report()
        #expect(report.outcome == "done")
        let reclaim = try #require(report.reclaimed?.first)
        #expect(reclaim.outcome == "stopped")
        #expect(reclaim.reason?.contains("stopped by SIGTERM") == true, "\(ended)")
        #expect(ended.errors.contains(/reader: gave back .* are still free; stopped by SIGTERM/), "\(ended)")
        #expect(try state.store.health() == "ok")
        let next = try state.runNow.run().checked().report()
        #expect(next.reclaimed?.map(\.outcome) == ["done"])
        #expect(try state.store.count("PRAGMA freelist_count") == 0)
    }

    @Test("killed at any instant of it while an app writes, the store is whole, and the next run finishes")
    func killed() throws {
        let template = try deleted(records: 500_000)
        var landed = 0
        for round in 0..<10 {
            let app = try WritingApp(on: template.copied(), refreshing: nobody)
            let run = try app.state.pruned("--run-now", "--json", "--verbose").start()
            let deadline = ContinuousClock.now + .seconds(20)
            while run.isRunning, ContinuousClock.now < deadline {
                try app.write(transactions: 1)
                if run.errors.components(separatedBy: "reclaiming reader").count > 1 + round * 3 { break }
                usleep(1_000)
            }
            run.send(SIGKILL)
            landed += try run.wait().status == 128 + SIGKILL ? 1 : 0
            try app.write(transactions: 5)
            try app.close()
            let killed = KilledStore(app: app, template: template)
            try killed.expectNothingLost(round: round)
            let last = try app.state.runNow.run()
            #expect(last.status == 0, "round \(round): \(last)")
            try killed.expectNothingLost(round: round)
            // What a kill near the end leaves may be too little to begin with.
            let pages = try app.state.store.count("PRAGMA page_count")
            #expect(try app.state.store.count("PRAGMA freelist_count") <= max(256, pages / 20))
        }
        #expect(landed >= 5)
    }

    @Test(
        "killed as it enters any of its system calls that change something", .tracing,
        arguments: ["WAL", "DELETE"], ["pwrite64", "fdatasync", "fsync", "ftruncate", "unlink"])
    func killedAtASystemCall(journal: String, call: String) throws {
        let template = try deleted(records: 40_000, journal: journal)
        #expect(try template.store.count("PRAGMA freelist_count") > 256)
        let rows = try template.store.count(KilledStore.allRows)
        let calls = try Fault.calls(of: call, inRunOn: template.copied())
        for number in stride(from: 1, through: calls, by: max(1, calls / 10)) {
            var state = try template.copied()
            state.prefix = Fault.prefix("\(call):signal=KILL:when=\(number)")
            let killed = try state.runNow.run()
            #expect([0, 1, 128 + SIGKILL].contains(killed.status), "\(journal) \(call) \(number): \(killed)")
            state.prefix = []
            if number.isMultiple(of: 2) { #expect(try state.store.health() == "ok") }
            let next = try state.runNow.run()
            #expect(next.status == 0, "\(journal) \(call) \(number): \(next)")
            #expect(try state.store.health() == "ok")
            // It may have been killed just before the threshold of what is worth giving back.
            #expect(try state.store.count("PRAGMA freelist_count") < 256)
            #expect(try state.store.count(KilledStore.allRows) == rows)
        }
    }

    @Test("an app that writes meanwhile sees no error, and loses nothing", arguments: ["WAL", "DELETE"])
    func besideAnApp(journal: String) throws {
        let template = try deleted(records: 250_000, journal: journal)
        let app = try WritingApp(on: template.copied(), refreshing: nobody)
        let run = try app.state.runNow.start()
        try app.write(beside: run, for: .seconds(60))
        let ended = try run.wait()
        try app.close()
        // In a rollback journal an app that writes all the time may hold the lock whenever a rule or a step asks for it.
        let outcomes = try ended.report().reclaimed?.map(\.outcome)
        let isSkipped = ended.status == 75 || outcomes == ["skipped"]
        #expect((ended.status == 0 && outcomes == ["done"]) || (journal == "DELETE" && isSkipped), "\(ended)")
        try KilledStore(app: app, template: template).expectNothingLost(round: 0)
    }

    @Test("the service says how far it is, and what it gave back")
    func service() throws {
        let state = try deleted(records: 1_000_000)
        let service = try Service(on: state)
        try service.waitUntilReady()
        service.process.send(SIGUSR1)
        try service.hear { $0.contains(/STATUS=Reclaiming reader: \d+%, \d+\.\d [kM]B given back/) }
        try service.hear { $0.hasPrefix("STATUS=Idle") }
        let ended = try service.stop()
        #expect(ended.errors.contains(#/<5>.*reader: gave back \d+\.\d MB in /#), "\(ended)")
    }

    /// What expires is gone by then.
    private let nobody = ["nobody"]

    /// A run of which some steps are committed and some are not.
    private func inMidReclaim(_ state: StateDirectory) throws -> RunningProgram {
        let run = try state.pruned("--run-now", "--json", "--verbose").start()
        try eventually("a step") { run.errors.contains("reclaiming reader") }
        #expect(run.isRunning)
        return run
    }
}
