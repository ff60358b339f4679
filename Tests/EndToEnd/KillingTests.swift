import Foundation
import Testing

/// A run that is killed: wherever that happens, the store is whole, nothing is lost, and the next run goes on.
@Suite(.serialized) struct KillingTests {
    @Test("killed at a random instant while an app writes, 50 times")
    func killedWhileAnAppWrites() throws {
        let template = try StateDirectory.sampled(records: 250_000)
        let expired = try template.store.count(LargeStore.expired)
        let rows = try template.store.count(KilledStore.allRows)
        let ids = try template.store.query(
            "SELECT id FROM read_record WHERE created_at < unixepoch('now', '-30 days') ORDER BY random()"
        ).split(separator: "\n").map(String.init)

        let whole = try WritingApp(on: template.copied(), refreshing: ids)
        var expectedEnd = try whole.write(beside: whole.state.runNow.start(), for: .seconds(60))
        try whole.close()

        var landed: [Double] = []
        for round in 0..<50 {
            let app = try WritingApp(on: template.copied(), refreshing: ids)
            let run = try app.state.runNow.start()
            let instant = Double.random(in: Double(round)...Double(round + 1)) / 50
            let ended = try app.write(beside: run, for: expectedEnd * instant)
            run.send(SIGKILL)
            let status = try run.wait().status
            #expect([0, 128 + SIGKILL].contains(status))
            if status == 0 { expectedEnd = min(expectedEnd, ended) }
            try app.write(transactions: 5)
            try app.close()

            let killed = KilledStore(app: app, template: template)
            try killed.expectNothingLost(round: round)
            let left = try app.state.store.count(LargeStore.expired)
            let deleted = try rows + app.insertedRows - app.state.store.count(KilledStore.allRows)
            #expect(left <= expired)
            if left > 0, deleted > 0 { landed.append(instant) }

            let last = try app.state.runNow.run()
            #expect(last.status == 0, "round \(round): \(last)")
            #expect(try app.state.store.count(LargeStore.expired) == 0)
            try killed.expectNothingLost(round: round)
            #expect(FileTree(app.state.path).names == ["last-runs.json", "reader.sqlite"])
        }
        print("Killed in the middle of a run: \(landed.count) of 50.")
        #expect(landed.count >= 30, "\(landed)")
    }

    @Test(
        "killed as it enters any of its system calls that change something", .tracing,
        arguments: ["WAL", "DELETE", "TRUNCATE"], ["pwrite64", "fdatasync", "fsync", "unlink", "rename"])
    func killedAtASystemCall(journal: String, call: String) throws {
        let template = try StateDirectory.sampled(records: 2_000)
        try template.store.query("PRAGMA journal_mode = \(journal)")
        let unexpired = try template.store.count(LargeStore.unexpired)
        let calls = try Fault.calls(of: call, inRunOn: template.copied())
        var landed = 0
        for number in stride(from: 1, through: calls, by: max(1, calls / 10)) {
            var state = try template.copied()
            state.prefix = Fault.prefix("\(call):signal=KILL:when=\(number)")
            let killed = try state.runNow.run()
            // Batches follow the clock, so runs differ in their number of calls: one may end before the call comes.
            #expect([0, 128 + SIGKILL].contains(killed.status), "\(journal) \(call) \(number): \(killed)")
            landed += killed.status == 0 ? 0 : 1
            state.prefix = []
            // Every other time the next run comes first, and is the one that recovers what was left.
            if number.isMultiple(of: 2) { #expect(try state.store.health() == "ok") }
            let next = try state.runNow.run()
            #expect(next.status == 0, "\(journal) \(call) \(number): \(next)")
            #expect(try state.store.health() == "ok")
            #expect(try state.store.count(LargeStore.expired) == 0)
            #expect(try state.store.count(LargeStore.unexpired) == unexpired)
        }
        #expect(landed > 0 || calls == 0)
    }

    @Test(
        "killed while it creates the default store", .tracing,
        arguments: ["mknodat", "pwrite64", "fdatasync", "unlink"])
    func killedWhileCreating(call: String) throws {
        let calls = try Fault.calls(of: call, inRunOn: StateDirectory())
        #expect(calls > 0)
        for number in stride(from: 1, through: calls, by: max(1, calls / 20)) {
            var state = try StateDirectory()
            state.prefix = Fault.prefix("\(call):signal=KILL:when=\(number)")
            #expect(try state.runNow.run().status == 128 + SIGKILL, "\(call) \(number)")
            state.prefix = []
            let next = try state.runNow.run()
            #expect(next.status == 0, "\(call) \(number): \(next)")
            try state.sample(records: 10)
        }
    }
}
