import Foundation
import Testing

/// A run that is killed: wherever that happens, the store is whole, nothing is lost, and the next run goes on.
@Suite(.serialized) struct KillingTests {
    /// Every way to find the rows.
    private static let plans = ["walk", "index"]

    @Test("killed at a random instant while an app writes, 50 times, by each plan in turn")
    func killedWhileAnAppWrites() throws {
        let template = try StateDirectory.sampled(records: 250_000)
        let expired = try template.store.count(LargeStore.expired)
        let rows = try template.store.count(KilledStore.allRows)
        let ids = try template.store.query(
            "SELECT id FROM read_record WHERE created_at < unixepoch('now', '-30 days') ORDER BY random()"
        ).split(separator: "\n").map(String.init)

        var expectedEnd = try Self.plans.map { plan in
            let whole = try WritingApp(on: template.copied(), refreshing: ids)
            let run = try whole.state.runNow(plan: plan).start()
            let end = try whole.write(beside: run, for: .seconds(60))
            #expect(try run.wait().checked().report().accessPaths == [plan])
            try whole.close()
            return end
        }

        var landed: [[Double]] = [[], []]
        for round in 0..<50 {
            let plan = round % 2
            let app = try WritingApp(on: template.copied(), refreshing: ids)
            let run = try app.state.runNow(plan: Self.plans[plan]).start()
            let instant = Double.random(in: Double(round)...Double(round + 1)) / 50
            let ended = try app.write(beside: run, for: expectedEnd[plan] * instant)
            run.send(SIGKILL)
            let status = try run.wait().status
            #expect([0, 128 + SIGKILL].contains(status))
            if status == 0 { expectedEnd[plan] = min(expectedEnd[plan], ended) }
            try app.write(transactions: 5)
            try app.close()

            let killed = KilledStore(app: app, template: template)
            try killed.expectNothingLost(round: round)
            let left = try app.state.store.count(LargeStore.expired)
            let deleted = try rows + app.insertedRows - app.state.store.count(KilledStore.allRows)
            #expect(left <= expired)
            if left > 0, deleted > 0 { landed[plan].append(instant) }

            // It chooses for itself, so some runs finish by one plan what another began.
            let last = try app.state.runNow.run()
            #expect(last.status == 0, "round \(round): \(last)")
            #expect(try app.state.store.count(LargeStore.expired) == 0)
            try killed.expectNothingLost(round: round)
            #expect(FileTree(app.state.path).names == StateDirectory.filesAtRest)
        }
        for (plan, landed) in zip(Self.plans, landed) {
            print("Killed in the middle of a run by \(plan): \(landed.count) of 25.")
            #expect(landed.count >= 8, "\(plan): \(landed)")
        }
    }

    @Test(
        "killed as it enters any of its system calls that change something", .tracing,
        arguments: ["WAL", "DELETE", "TRUNCATE"], ["pwrite64", "fdatasync", "fsync", "unlink", "rename"])
    func killedAtASystemCall(journal: String, call: String) throws {
        let template = try StateDirectory.sampled(records: 2_000)
        try template.store.query("PRAGMA journal_mode = \(journal)")
        let unexpired = try template.store.count(LargeStore.unexpired)
        for plan in Self.plans {
            let calls = try Fault.calls(of: call, inRunOn: template.copied(), plan: plan)
            var landed = 0
            for (kill, number) in stride(from: 1, through: calls, by: max(1, calls / 6)).enumerated() {
                let place = "\(journal) \(plan) \(call) \(number)"
                var state = try template.copied()
                state.prefix = Fault.prefix("\(call):signal=KILL:when=\(number)")
                let killed = try state.runNow(plan: plan).run()
                // Batches follow the clock, so runs differ in their number of calls: one may end before the call comes.
                #expect([0, 1, 128 + SIGKILL].contains(killed.status), "\(place): \(killed)")
                if killed.status == 0 {
                    #expect(try killed.report().accessPaths == [plan])
                } else {
                    landed += 1
                }
                state.prefix = []
                // Every other time the next run comes first, and is the one that recovers what was left.
                if kill.isMultiple(of: 2) { #expect(try state.store.health() == "ok") }
                let next = try state.runNow(plan: plan).run()
                #expect(next.status == 0, "\(place): \(next)")
                #expect(try state.store.health() == "ok")
                #expect(try state.store.count(LargeStore.expired) == 0)
                #expect(try state.store.count(LargeStore.unexpired) == unexpired)
            }
            #expect(landed > 0 || calls == 0, "\(journal) \(plan) \(call)")
        }
    }

    @Test(
        "killed while it creates the default store", .tracing,
        arguments: ["mknodat", "pwrite64", "fdatasync", "unlink"])
    func killedWhileCreating(call: String) throws {
        let calls = try Fault.calls(of: call, inRunOn: StateDirectory())
        #expect(calls > 0)
        var landed = 0
        for number in stride(from: 1, through: calls, by: max(1, calls / 20)) {
            var state = try StateDirectory()
            state.prefix = Fault.prefix("\(call):signal=KILL:when=\(number)")
            // Each of its processes counts for itself: a worker makes the store, and the program says how that ended.
            let killed = try state.runNow.run()
            let isSaid = killed.errors.contains("its worker process was killed by SIGKILL")
            #expect(killed.status == 0 || killed.status == 128 + SIGKILL || isSaid, "\(killed)")
            landed += killed.status == 0 ? 0 : 1
            state.prefix = []
            let next = try state.runNow.run()
            #expect(next.status == 0, "\(call) \(number): \(next)")
            try state.sample(records: 10)
        }
        #expect(landed > 0, "\(call)")
    }
}
