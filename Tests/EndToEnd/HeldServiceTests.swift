import TestSupport
import Foundation
import Testing

/// A service that holds a rule: it says so, goes on with the others, and takes a confirmation while it runs.
@Suite(.serialized) struct HeldServiceTests {
    private static let expired = 1_200

    /// A store of which the built-in policy holds `read-records`.
    private func heldState() throws -> StateDirectory {
        try StateDirectory.holding(expired: Self.expired, fresh: 100)
    }

    private func warnings(_ text: String) -> Int {
        text.split(separator: "\n").filter { $0.hasPrefix("<4>read-records: held: ") }.count
    }

    @Test("a held rule keeps neither the service from being ready nor the other rules from running")
    func goesOn() throws {
        let state = try heldState()
        try state.store.query("INSERT INTO item VALUES (1, 1000000000), (2, unixepoch())")
        let service = try Service(on: state)
        try service.waitForFirstRun()
        let status = try #require(service.heard.last)
        #expect(
            status.contains("read-records held: would delete 1,200 of 1,300 rows of read_record"), "\(status)"
        )
        #expect(try state.records == 1_300)
        #expect(try state.store.count("SELECT count(*) FROM item") == 1)
        #expect(warnings(service.process.errors) == 1)

        service.process.send(SIGUSR1)
        try service.hear { $0.contains("STATUS=Running") }
        try service.hear { $0.hasPrefix("STATUS=Idle") }
        let ended = try service.stop()
        #expect(warnings(ended.errors) == 1, "\(ended)")

        let next = try Service(on: state)
        try next.waitForFirstRun()
        #expect(try warnings(next.stop().errors) == 0, "a restart says it no more on the same day")
        #expect(try state.records == 1_300)
    }

    @Test("a hold that grew by more than a tenth is said again, and only what was said can be confirmed")
    func grown() throws {
        let state = try heldState()
        let service = try Service(on: state, environment: ["TZ": "UTC"])
        try service.waitForFirstRun()
        for (more, count) in [(100, 1), (100, 2)] {  // 1,300 is near what was said, 1,400 is not
            try state.expireRecords(more)
            service.process.send(SIGUSR1)
            try service.hear { $0.contains("STATUS=Running") }
            try service.hear { $0.hasPrefix("STATUS=Idle") }
            try eventually("what is said") { warnings(service.process.errors) == count }
        }
        var confirm = state.pruned("confirm", "read-records")
        confirm.environment["TZ"] = "UTC"
        // The service, which it would wake, is to meet more rows.
        var said: EndedProgram?
        try eventually("it is stopped while it has no lock on its ledger") {
            service.process.send(SIGSTOP)
            let ended = try confirm.run()
            if ended.status == 75 { service.process.send(SIGCONT) } else { said = ended }
            return ended.status != 75
        }
        let output = try #require(said).checked().output
        #expect(output.contains("confirmed for one run: about 1,400 of 1,500 rows of"), "\(output)")
        try state.addRecords(1_000, days: 400)
        service.process.send(SIGCONT)
        try eventually("what is said") { warnings(service.process.errors) == 3 }
        #expect(try state.records == 2_500)
        let ended = try service.stop()
        #expect(ended.errors.contains("the confirmation was for 1,400 rows"), "\(ended)")
    }

    @Test("the running service deletes what was confirmed, and only that once")
    func confirmed() throws {
        let state = try heldState()
        let early = try state.pruned("confirm", "read-records").run()
        #expect(early.status == 1, "\(early)")
        #expect(early.errors.hasPrefix("pruned: rule read-records is not held\n"))

        let service = try Service(on: state)
        try service.waitForFirstRun()
        let said = try state.pruned("confirm", "read-records").run().checked()
        #expect(said.output.contains("confirmed for one run: about 1,200 of 1,300 rows of"), "\(said)")
        #expect(said.output.contains("\nthe service runs it now\n"), "\(said)")
        try eventually("the run") { try state.records == 100 }
        try service.hear { $0.hasPrefix("STATUS=Idle; next: ") && !$0.contains("held") }
        #expect(
            service.process.errors.contains("deletes 1,200 of 1,300 rows of read_record, as confirmed"))

        try state.addRecords(Self.expired, days: 400)
        service.process.send(SIGUSR1)
        try service.hear { $0.contains("read-records held: ") }
        let ended = try service.stop()
        #expect(try state.records == 1_300)
        #expect(warnings(ended.errors) == 2, "\(ended)")
    }

    @Test("a rule that failed by hand is tried again when the service starts, though it is not due")
    func failedByHand() throws {
        let state = try StateDirectory.sampled(records: 100)
        let file = try state.readRecordsFile()
        try state.pruned("--run-now", "--config", file).run().checked()
        try state.addRecords(10, days: 400)
        try state.store.query(
            "CREATE TRIGGER never BEFORE DELETE ON read_record BEGIN SELECT RAISE(ABORT, 'never'); END")
        #expect(try state.pruned("--run-now", "--config", file).run().status == 1)
        try state.store.query("DROP TRIGGER never")
        let records = try state.records
        let service = try Service(on: state, arguments: ["--config", file])
        try eventually("the run") { try state.records == records - 10 }
        try service.stop()
    }

    @Test("the service does what was held in a run by hand and then confirmed, though its rule is not due")
    func heldByHand() throws {
        let state = try heldState()
        try state.store.query("DELETE FROM read_record WHERE created_at < unixepoch() - 40 * 86400")
        try state.pruned("--run-now").run().checked()
        try state.addRecords(Self.expired, days: 400)
        #expect(try state.pruned("--run-now").run().status == 3)
        try state.pruned("confirm", "read-records").run().checked()
        let service = try Service(on: state)
        try eventually("the run") { try state.records == 100 }
        #expect(try service.stop().errors.contains("as confirmed"))
    }

    @Test("a running service is told to run what was held by hand, and confirmed, at once")
    func heldByHandMeanwhile() throws {
        let state = try heldState()
        try state.store.query("DELETE FROM read_record WHERE created_at < unixepoch() - 40 * 86400")
        let file = try state.readRecordsFile()
        let service = try Service(on: state, arguments: ["--config", file])
        try service.waitForFirstRun()
        try state.addRecords(Self.expired, days: 400)
        #expect(try state.pruned("--run-now", "--config", file).run().status == 3)
        try state.pruned("confirm", "only", "--config", file).run().checked()
        try eventually("the run") { try state.records == 100 }
        #expect(try service.stop().errors.contains("as confirmed"))
    }

    @Test("a confirmed deletion does not begin where nobody could write down how far it has come")
    func unwritableRest() throws {
        let state = try heldState()
        #expect(try state.pruned("--run-now").run().status == 3)
        try state.pruned("confirm", "read-records").run().checked()
        let reader = try state.ledgerReader()
        let ended = try state.pruned("--run-now").run()
        #expect(ended.status == 75 && ended.errors.contains("cannot remember that"), "\(ended)")
        #expect(try state.records == 1_300)
        try reader.wait().checked()
        try state.pruned("--run-now").run().checked()
        #expect(try state.records == 100)
    }

    @Test("a hold that cannot be taken back makes its rule run once, and not without end")
    func unwritableHolds() throws {
        let state = try heldState()
        #expect(try state.pruned("--run-now").run().status == 3)
        // So few that no guard holds the rule anymore.
        try state.store.query(
            "DELETE FROM read_record WHERE id IN (SELECT id FROM read_record ORDER BY created_at LIMIT 500)")
        let reader = try state.ledgerReader()
        let service = try Service(on: state)
        try service.waitForFirstRun()
        #expect(try state.records == 100)
        service.process.send(SIGUSR1)
        try service.hear { $0.hasPrefix("STATUS=Running") }
        try service.hear(seconds: 5) { $0.hasPrefix("STATUS=Idle; next: feed-cache") }
        let ended = try service.stop()
        #expect(ended.errors.components(separatedBy: "cannot remember ").count == 2, "\(ended)")
        try reader.wait().checked()
    }

    @Test("a confirmation is bound to the day of the cutoff, and a hold is said once a day", .fakingTime)
    func days() throws {
        let state = try heldState()
        let clock = try FakeClock(offset: "+0", in: state.sandbox)
        let service = try Service(on: state, clock: clock)
        try service.waitForFirstRun()
        // It would be woken, and take the confirmation on the same day.
        service.process.send(SIGSTOP)
        try state.pruned("confirm", "read-records").run().checked()

        try clock.set("+25h")
        let trusting = state.pruned("--run-now", "--rule", "feed-cache", "--trust-clock")
        try clock.applied(to: trusting).run().checked()
        service.process.send(SIGCONT)
        let status = try service.hear { $0.contains("the confirmation was for a cutoff on ") }
        #expect(status.contains("read-records held: "), "\(status)")
        #expect(try state.records == 1_300)
        try eventually("the message") { warnings(service.process.errors) == 2 }
        let late = try state.pruned("confirm", "read-records").run()
        #expect(late.status == 1, "\(late)")
        #expect(late.errors.contains("was held for a cutoff on "))
        #expect(try service.stop().status == 0)
    }

    @Test(
        "what an end in mid-run left of a confirmed deletion is confirmed, too, and nothing after that",
        arguments: [SIGTERM, SIGKILL])
    func endedEarly(signal: Int32) throws {
        let state = try StateDirectory.holding(expired: 200_000, fresh: 100)
        let (left, run) = try endInMidRun(state, by: signal)
        #expect(left > 100)
        // Who is killed between a batch and its record has not said which rows are left, and a person is asked once more.
        let said = withUnsafeBytes(of: Int64(left - 100).littleEndian) { bytes in
            bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined()
        }
        let record = try state.ledger.query("SELECT hex(rows) FROM confirmed_rest")
        let isSaid = signal == SIGTERM || record.hasPrefix(said)
        if !isSaid { #expect(try run("--confirm", "only").run().only(3).deleted == 0) }
        #expect(try (isSaid ? run() : run("--confirm", "only")).run().only(0).deleted == left - 100)
        try state.addRecords(2_000, days: 400)
        #expect(try run().run().only(3).deleted == 0)
    }

    @Test(
        "rows that came in the place of those that an end in mid-run left were not confirmed, but by whoever saw them",
        arguments: [SIGTERM, SIGKILL], [true, false])
    func replaced(signal: Int32, areAsMany: Bool) throws {
        let state = try StateDirectory.holding(expired: 200_000, fresh: 100)
        let (left, run) = try endInMidRun(state, by: signal)
        // The app takes half of what was left away, and brings others; or none, and others that make up for what went.
        let gone = areAsMany ? left / 2 : 0
        try state.store.query(
            "DELETE FROM read_record WHERE id IN (SELECT id FROM read_record WHERE created_at < unixepoch() - 86400"
                + " LIMIT \(gone))")
        try state.addRecords(areAsMany ? gone : 195_000 - left, days: 500)
        let records = try state.records
        #expect(records == (areAsMany ? left : 195_000))
        #expect(try run("--dry-run").run().only(3).expired == records - 100)
        let held = try run().run().only(3)
        #expect(held.deleted == 0 && held.expired == records - 100)
        #expect(
            held.reason?.contains(/[0-9,]+ confirmed rows were left, and these are other/) == true,
            "\(held)")
        #expect(try state.records == records)
        #expect(try run("--confirm", "only").run().only(0).deleted == records - 100)
    }

    /// Confirms what a rule is held for, and ends the run in the middle. The rows that it left, and the next run.
    private func endInMidRun(
        _ state: StateDirectory, by signal: Int32
    ) throws -> (left: Int, run: (String...) -> Program) {
        let file = try state.readRecordsFile("\n[batch]\nlock_time = \"1ms\"")
        let run = { (arguments: String...) in
            var program = state.pruned("--run-now", "--json", "--config", file)
            program.arguments += arguments
            return program
        }
        #expect(try run().run().only(3).deleted == 0)
        // An app that has the store open makes the batches short, and pauses follow them.
        let app = try state.store.program.start(feeds: true)
        try app.feed("SELECT count(*) FROM item;\n")
        try eventually("the app's answer") { !app.output.isEmpty }
        let ended = try run("--confirm", "only").start()
        try eventually("a part of the run", seconds: 60) { try state.records < 190_000 }
        // Of a program that is killed, the worker ends after its batch.
        let workers = ended.children
        ended.send(signal)
        #expect(try ended.wait().status == (signal == SIGTERM ? 75 : 128 + signal))
        try eventually("the end of its worker") { workers.allSatisfy(RunningProgram.hasEnded) }
        try app.wait().checked()
        return (try state.records, run)
    }
}
