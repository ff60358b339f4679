import TestSupport
import Foundation
import Testing

/// A run by hand that is told to stop.
@Suite(.serialized) struct StopTests {
    @Test(
        "a signal ends the run after the batch in hand, and the next run goes on",
        arguments: [(SIGTERM, "walk"), (SIGINT, "index")])
    func stops(signal: Int32, plan: String) throws {
        let state = try LargeStore.copy()
        let unexpired = try state.store.count(LargeStore.unexpired)
        let run = try inMidRun(state, plan)
        let sent = ContinuousClock.now
        run.send(signal)
        let ended = try run.wait(seconds: 10)
        #expect(ContinuousClock.now - sent < .seconds(1))
        #expect(ended.status == 75, "\(ended)")
        let report = try ended.report()
        #expect(report.outcome == "stopped")
        #expect(report.accessPaths == [plan])
        let name = signal == SIGTERM ? "SIGTERM" : "SIGINT"
        #expect(report["read-records"]?.reason?.contains("stopped by \(name)") == true, "\(ended)")
        #expect(try state.store.count(LargeStore.expired) > 0)
        let left = try state.store.count(LargeStore.rows)
        #expect(try state.store.health() == "ok")

        let next = try state.runNow.run().checked().report()
        #expect(try next.deleted.values.reduce(0, +) == left - state.store.count(LargeStore.rows))
        #expect(try state.store.count(LargeStore.expired) == 0)
        #expect(try state.store.count(LargeStore.unexpired) == unexpired)
    }

    @Test("a second signal leaves at once", .tracing, arguments: [SIGINT, SIGTERM])
    func leavesAtOnce(signal: Int32) throws {
        var state = try StateDirectory.sampled(records: 100)
        // A disk that takes seconds for a write: the batch in hand does not end.
        state.prefix = Fault.prefix("pwrite64:delay_enter=5000000:when=15")
        let run = try state.runNow.start()
        try eventually("a write") { FileTree.Entry(state.storePath + "-wal")?.size ?? 0 > 0 }
        let start = ContinuousClock.now
        // strace, which still delays the write, keeps the dead process from vanishing.
        // Sent until it is gone: of signals that come before the first was taken, the system keeps one.
        try eventually("the end") {
            run.send(signal)
            return run.isZombie
        }
        #expect(ContinuousClock.now - start < .seconds(2))
        let ended = try run.wait()
        #expect(ended.status == 128 + signal, "\(ended)")
        state.prefix = []
        #expect(try state.runNow.run().status == 0)
        #expect(try state.store.health() == "ok")
    }

    /// A run of which some batches are committed and some are not.
    private func inMidRun(_ state: StateDirectory, _ plan: String) throws -> RunningProgram {
        let run = try state.pruned("--run-now", "--json", "--verbose", "--access-path", plan).start()
        try eventually("a batch of read records") { run.errors.contains("read-records: batch of") }
        #expect(run.isRunning)
        return run
    }
}
