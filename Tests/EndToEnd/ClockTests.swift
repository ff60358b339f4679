import TestSupport
import Foundation
import Testing

/// What the program does by a clock that is wrong: nothing.
@Suite(.serialized, .fakingTime) struct ClockTests {
    /// A store, and how many rows each of its tables has.
    private let state: StateDirectory
    private let clock: FakeClock

    init() throws {
        state = try StateDirectory.sampled(records: 200)
        clock = try FakeClock(offset: "+0", in: state.sandbox)
    }

    /// Makes the rows as old on that day as they are today: by rows that are all old, a rule is held.
    private func moveRows(to date: String) throws {
        let shift = "(unixepoch('\(date)') - unixepoch())"
        try state.store.query(
            """
            UPDATE read_record SET created_at = created_at + \(shift);
            UPDATE tweet SET created_at = created_at + \(shift);
            UPDATE item SET timestamp = timestamp + \(shift);
            """)
    }

    private static let tables = ["read_record", "tweet", "item", "feed", "article"]

    private func run(_ arguments: String...) throws -> EndedProgram {
        var program = state.runNow
        program.arguments += arguments
        return try clock.applied(to: program).run()
    }

    private func expectHeld(_ ended: EndedProgram, _ cause: String) throws {
        #expect(ended.status == 3, "\(ended)")
        let report = try ended.report()
        #expect(report.rules.count == 5)
        for rule in report.rules {
            #expect(rule.outcome == "held" && rule.deleted == 0 && rule.expired == nil, "\(ended)")
            #expect(rule.reason?.contains(cause) == true, "\(ended)")
            #expect(rule.hint?.contains("--trust-clock") == true)
        }
    }

    @Test(
        "the incident: the clock jumped ten years ahead and everything was old; nothing goes, on the first night"
    )
    func tenYearsAheadAtFirst() throws {
        let rows = try state.store.rows(Self.tables)
        try clock.set("+10y")
        try expectHeld(try run(), "the newest rows are from")
        #expect(try state.store.rows(Self.tables) == rows)
        // A row with a time that lies ahead of the clock, too, says nothing for it.
        try state.store.query("INSERT INTO read_record VALUES ('future', 4110000000)")
        try expectHeld(try run(), "the newest rows are from")
        #expect(FileTree(state.path).names == StateDirectory.filesWithoutArchive)
    }

    @Test("a run of one rule, or of a store that is away, teaches nothing of a clock that is wrong")
    func oneRule() throws {
        let rows = try state.store.rows(Self.tables)
        try clock.set("+10y")
        for rule in ["feed-cache", "items"] {
            #expect(try run("--rule", rule).status == 3)
        }
        try expectHeld(try run(), "the newest rows are from")
        #expect(try state.store.rows(Self.tables) == rows)

        let away = state.sandbox.path + "/away.sqlite"
        try FileManager.default.moveItem(atPath: state.storePath, toPath: away)
        let file = try state.configuration(
            """
            store.app.path = "\(state.sandbox.path)/app.sqlite"
            rule.only = { table = "item", age_column = "timestamp", keep = "183d" }
            """)
        let program = clock.applied(to: state.pruned("--run-now", "--json", "--config", file))
        #expect(try program.run().status == 74)
        try FileManager.default.moveItem(atPath: away, toPath: state.sandbox.path + "/app.sqlite")
        let ended = try program.run()
        #expect(ended.status == 3, "\(ended)")
        #expect(try ended.report().rules.first?.reason?.contains("the newest rows are from") == true)
    }

    @Test("a few rows whose time lies far ahead of all others do not vouch for a clock that is as far ahead")
    func strays() throws {
        for id in -9..<0 {
            try state.store.query("INSERT INTO item VALUES (\(id), unixepoch('now', '+8 years'))")
        }
        try clock.set("+10y")
        try expectHeld(try run(), "the newest rows are from")
    }

    @Test("deadlines that are years over speak against a clock that is years ahead, too")
    func deadlines() throws {
        let file = try state.configuration(
            """
            store.reader.path = "shared/reader.sqlite"
            rule.only = { table = "feed", expires_column = "expires_at", dependents = ["article"], every = "1d" }
            """)
        let rows = try state.store.rows(Self.tables)
        try clock.set("+10y")
        let ended = try clock.applied(to: state.pruned("--run-now", "--config", file)).run()
        #expect(ended.status == 3, "\(ended)")
        #expect(try state.store.rows(Self.tables) == rows)
    }

    @Test(
        "after a run by a clock that was believed, a wrong one is held, and a slightly wrong one is not",
        arguments: [
            ("+10y", "jumped ahead"), ("+3h", "jumped ahead"), ("-1d", "went back"), ("-3h", "went back"),
            ("@1970-01-01 00:05:00", "earlier than this program"), ("+1h", nil), ("-1h", nil),
        ] as [(String, String?)])
    func afterARun(offset: String, cause: String?) throws {
        #expect(try run().status == 0)
        try state.store.query("INSERT INTO item VALUES (-1, 1000000000)")
        let rows = try state.store.rows(Self.tables)
        try clock.set(offset)
        let ended = try run()
        if let cause {
            try expectHeld(ended, cause)
            #expect(try state.store.rows(Self.tables) == rows)
        } else {
            #expect(ended.status == 0, "\(ended)")
            #expect(try state.store.count("SELECT count(*) FROM item WHERE id = -1") == 0)
        }
    }

    @Test(
        "a machine that was off for a year is held only where no time server keeps its clock right", .tracing)
    func offForAYear() throws {
        let before = Int(Date().timeIntervalSince1970) - 365 * 86_400
        try run("--rule", "feed-cache").checked()
        let reading = "\(before)000000|1000000000|another"
        let old = "UPDATE clock SET time = \(before)000000, since_boot = 1000000000, boot_id = 'another'"
        try state.ledger.query(old)
        let unsynchronised = try kernel(says: .timeError).run()
        try expectHeld(unsynchronised, "when last believed it said")
        #expect(try state.ledger.query("SELECT time, since_boot, boot_id FROM clock") == reading)
        let synchronised = try kernel(says: .timeOK).run()
        #expect(synchronised.status == 0, "\(synchronised)")
        try state.ledger.query(old)
        // The kernel's clock is kept right, but it is not what the program reads.
        try clock.set("+1h")
        try expectHeld(try clock.applied(to: try kernel(says: .timeOK)).run(), "when last believed")
    }

    /// What `adjtimex` returns.
    private enum KernelState: Int {
        case timeOK = 0
        case timeError = 5
    }

    /// A run whose kernel says this of its clock, which is the system's.
    private func kernel(says state: KernelState) throws -> Program {
        // The seconds stand at byte 72 of a struct timex, least significant byte first.
        let seconds = UInt64(Date().timeIntervalSince1970)
        let bytes = Array(repeating: UInt8(0), count: 72) + (0..<8).map { UInt8(seconds >> ($0 * 8) & 0xff) }
        let hex = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        var program = self.state.runNow
        program.prefix = Fault.prefix("clock_adjtime:retval=\(state.rawValue):poke_exit=@arg2=\(hex)")
        return program
    }

    @Test("a dry run says that the clock is not believed, and remembers nothing")
    func dryRun() throws {
        #expect(try run().status == 0)
        let before = FileTree(state.path)
        try clock.set("+1y")
        try expectHeld(try run("--dry-run"), "jumped ahead")
        #expect(FileTree(state.path) == before)
    }

    @Test("a person who vouches for the clock is believed, from then on")
    func vouching() throws {
        #expect(try run().status == 0)
        try clock.set("+3d")
        #expect(try run().status == 3)
        #expect(try run("--trust-clock").status == 0)
        #expect(try run().status == 0)
        try clock.set("+0")
        #expect(try run().status == 3)
    }

    @Test(
        "the clock counts on where 31 bits end, and into the next century",
        arguments: ["2038-01-19 03:14:05", "2100-02-28 23:59:58"])
    func farDates(date: String) throws {
        try moveRows(to: date)
        try clock.set("@" + date)
        #expect(try run("--trust-clock").status == 0)
        for (id, age) in [(-1, "-184 days"), (-2, "-182 days")] {
            try state.store.query("INSERT INTO item VALUES (\(id), unixepoch('\(date)', '\(age)'))")
        }
        let ended = try run()
        #expect(ended.status == 0, "\(ended)")
        #expect(try ended.report()["items"]?.deleted == 1)
        #expect(try state.store.query("SELECT id FROM item WHERE id < 0") == "-2")
        // The clock of the fake stands beside one that goes on: a day more than has passed.
        try clock.set("@" + date.replacing("-19 ", with: "-20 ").replacing("-02-28 ", with: "-03-01 "))
        #expect(try run().status == 3)
    }

    @Test("in the nights when the clocks change, nothing is held", arguments: ["2026-10-25", "2027-03-28"])
    func clockChange(date: String) throws {
        try moveRows(to: date)
        var zoned = state.runNow
        zoned.environment["TZ"] = "Europe/Berlin"
        try clock.set("@\(date) 00:30:00")
        #expect(try run("--trust-clock").status == 0)
        try clock.set("@\(date) 01:30:00")
        let ended = try clock.applied(to: zoned).run()
        #expect(ended.status == 0, "\(ended)")
    }

    @Test(
        "a step in mid-run: back, and the run ends there; ahead, and its cutoff stays",
        arguments: ["-1d", "+10y"])
    func stepInMidRun(step: String) throws {
        let state = try LargeStore.copy()
        let clock = try FakeClock(offset: "+0", in: state.sandbox)
        let unexpired = try state.store.count(LargeStore.unexpired)
        let running = try clock.applied(to: state.pruned("--run-now", "--json", "--verbose")).start()
        try eventually("a batch of read records") { running.errors.contains("read-records: batch of") }
        running.sendToAll(SIGSTOP)
        try clock.set(step)
        running.sendToAll(SIGCONT)
        let ended = try running.wait(seconds: 60)
        #expect(try state.store.count(LargeStore.unexpired) == unexpired)
        if step == "-1d" {
            #expect(ended.status == 3, "\(ended)")
            #expect(try ended.report()["read-records"]?.reason?.contains("went back") == true, "\(ended)")
            #expect(try state.store.count(LargeStore.expired) > 0)
        } else {
            #expect(ended.status == 0, "\(ended)")
            #expect(try state.store.count(LargeStore.expired) == 0)
        }
    }

    @Test(
        "the service says that the clock is not believed, once, and goes on by itself when it is right again")
    func service() throws {
        let service = try Service(on: state, clock: clock)
        try service.waitForFirstRun()
        try state.store.query("INSERT INTO item VALUES (-1, 1000000000)")
        try clock.set("+10y")
        service.process.send(SIGUSR1)
        try service.hear { $0.contains("nothing is pruned: the clock jumped ahead") }
        // It looks again, and again in vain.
        try service.hear { $0.contains("STATUS=Running") }
        try service.hear { $0.contains("nothing is pruned: the clock jumped ahead") }
        #expect(try state.store.count("SELECT count(*) FROM item WHERE id = -1") == 1)
        try clock.set("+0")
        try service.hear { $0.hasPrefix("STATUS=Idle; next:") && !$0.contains("clock") }
        #expect(try state.store.count("SELECT count(*) FROM item WHERE id = -1") == 0)
        let ended = try service.stop()
        #expect(ended.status == 0)
        #expect(ended.errors.components(separatedBy: "jumped ahead").count == 2, "\(ended)")
        let history = try state.pruned("history", "--json").run().checked().output
        #expect(history.components(separatedBy: "jumped ahead").count == 6, "once of each rule: \(history)")
    }
}
