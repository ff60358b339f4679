import TestSupport
import Foundation
import Testing

/// Stores that somebody else uses just now.
@Suite(.serialized) struct BusyStoreTests {
    @Test(
        "a store that is locked for longer than the patience is skipped, with the cause",
        arguments: [("WAL", "IMMEDIATE"), ("DELETE", "IMMEDIATE"), ("DELETE", "EXCLUSIVE")])
    func lockedStore(journal: String, lock: String) throws {
        let state = try StateDirectory.sampled(records: 100)
        try state.store.query("PRAGMA journal_mode = \(journal)")
        let app = try begin(lock, on: state)
        let start = ContinuousClock.now
        let ended = try state.runNow.run(seconds: 20)
        let took = ContinuousClock.now - start
        #expect(ended.status == 75, "\(ended)")
        #expect(took >= .seconds(5) && took < .seconds(8), "\(took)")
        let report = try ended.report()
        #expect(report.outcome == "skipped")
        #expect(report.rules.allSatisfy { $0.outcome == "skipped" && $0.deleted == 0 })
        #expect(report.rules.allSatisfy { $0.reason?.contains("database is locked") == true }, "\(ended)")
        #expect(ended.errors.contains("locked"), "\(ended)")
        try app.feed("COMMIT;\n")
        try app.wait().checked()
        #expect(try state.store.count("SELECT count(*) FROM item") == 10)
        #expect(try state.runNow.run().checked().report()["items"]?.deleted == 4)
    }

    @Test("a store that is free again in time is pruned")
    func lockedForAWhile() throws {
        let state = try StateDirectory.sampled(records: 100)
        let app = try begin("IMMEDIATE", on: state)
        let run = try state.pruned("--run-now", "--json", "--verbose").start()
        try eventually("waiting") { run.errors.contains("waits: database is locked") }
        try app.feed("COMMIT;\n")
        try app.wait().checked()
        let ended = try run.wait()
        #expect(ended.status == 0, "\(ended)")
        #expect(try ended.report()["items"]?.deleted == 4)
    }

    @Test(
        "an app that is just opening the store makes no run fail: its new files get their mode in a second step",
        arguments: ["-shm", "-journal"])
    func filesInTheMaking(companion: String) throws {
        let state = try StateDirectory.sampled(records: 100)
        try state.sandbox.write("state/shared/reader.sqlite" + companion, "")
        let file = state.storePath + companion
        #expect(chmod(file, 0o440) == 0)
        let run = try state.pruned("--run-now", "--json", "--verbose").start()
        try eventually("waiting") { run.errors.contains("waits: its \(companion) file is write-protected") }
        #expect(unlink(file) == 0)
        let ended = try run.wait()
        #expect(ended.status == 0, "\(ended)")
        #expect(try ended.report()["items"]?.deleted == 4)
    }

    @Test("a second run waits, says which process holds the store, and deletes nothing")
    func anotherRun() throws {
        let state = try LargeStore.copy()
        let first = try state.runNow.start()
        try eventually("the first run's lock") {
            !state.sandbox.text("state/shared/reader.sqlite-pruned-lock").isEmpty
        }
        first.sendToAll(SIGSTOP)
        // It may have been stopped while it had the state directory's lock as well, for which others wait each time.
        let second = try state.runNow.run(seconds: 60)
        #expect(second.status == 75, "\(second)")
        let report = try second.report()
        #expect(report.rules.count == 5)
        #expect(report.rules.allSatisfy { $0.outcome == "skipped" && $0.deleted == 0 })
        let holder = "another run uses it: process \(first.processID) (pruned --run-now), since 20"
        #expect(report.rules.allSatisfy { $0.reason?.contains(holder) == true }, "\(second)")
        // Waiting for the next command needs no lock, so neither does counting.
        let dryRun = try state.pruned("--run-now", "--json", "--dry-run").run()
        #expect(dryRun.status == 0, "\(dryRun)")

        first.sendToAll(SIGCONT)
        let ended = try first.wait()
        #expect(ended.status == 0, "\(ended)")
        #expect(try state.store.count(LargeStore.expired) == 0)
    }

    @Test("a lock file that a killed run left behind is taken over")
    func lockOfTheDead() throws {
        let state = try LargeStore.copy()
        let first = try state.runNow.start()
        try eventually("the first run's lock") {
            !state.sandbox.text("state/shared/reader.sqlite-pruned-lock").isEmpty
        }
        first.sendToAll(SIGKILL)
        #expect(try first.wait().status == 128 + SIGKILL)
        #expect(FileTree(state.path).names.contains("shared/reader.sqlite-pruned-lock"))
        #expect(try state.runNow.run().status == 0)
        #expect(FileTree(state.path).names == StateDirectory.filesAtRest)
    }

    /// A process of the app's in a transaction of its own.
    private func begin(_ lock: String, on state: StateDirectory) throws -> RunningProgram {
        let app = try state.store.program.start(feeds: true)
        try app.feed(
            "BEGIN \(lock); INSERT INTO item VALUES (-1, unixepoch()); DELETE FROM item WHERE id = -1;\n")
        try app.feed(".print begun\n")
        try eventually("the lock") { app.output.contains("begun") || !app.errors.isEmpty }
        #expect(app.errors.isEmpty)
        return app
    }
}
