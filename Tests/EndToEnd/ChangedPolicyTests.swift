import Foundation
import Testing

/// A rule that was changed is told from one that is as it was.
@Suite struct ChangedPolicyTests {
    @Test(
        "a new, shorter period applied to years of history on its first night is held, and says what it adds")
    func shorterPeriod() throws {
        let state = try StateDirectory.holding(expired: 0, fresh: 100)
        for year in 1...4 { try state.addRecords(300, days: year * 365) }
        try state.addRecords(20, days: 2_000)
        let years = try state.readRecordsFile(keep: "5y")
        #expect(try state.pruned("--run-now", "--json", "--config", years).run().only(0).deleted == 20)
        try state.addRecords(20, days: 2_000)

        let months = try state.readRecordsFile(keep: "1month", name: "shorter.toml")
        let night = try Service(on: state, arguments: ["--config", months])
        try night.waitUntilReady()
        night.process.send(SIGUSR1)
        try night.hear { $0.contains("STATUS=Running") }
        try night.hear { $0.hasPrefix("STATUS=Idle") }
        let status = try #require(night.heard.last)
        let change =
            "its keep was shortened since its last run, from 5y to 1month, which alone adds 1,200 rows"
        #expect(
            status.contains(
                "only held: would delete 1,220 of 1,320 rows of read_record (92 %, limit 50 %); \(change)"))
        #expect(try night.stop().status == 0)
        #expect(try state.records == 1_320)

        let byHand = try state.pruned("--run-now", "--json", "--config", months).run().only(3)
        #expect(byHand.reason?.hasSuffix(change) == true)
        #expect(try state.pruned("--run-now", "--json", "--config", years).run().only(0).deleted == 20)
        #expect(try state.records == 1_300)
    }

    @Test("what has changed is named; a rule that is as it was when it last ran is held without such words")
    func whatChanged() throws {
        let state = try StateDirectory.holding(expired: 0, fresh: 100)
        let years = try state.readRecordsFile(keep: "5y", "kept_by = \"tweet.id\"")
        try state.pruned("--run-now", "--config", years).run().checked()
        try state.addRecords(1_200, days: 2_000)
        let same = try state.pruned("--run-now", "--json", "--config", years).run().only(3)
        #expect(same.reason?.hasSuffix("(92 %, limit 50 %)") == true, "\(same)")

        let longer = try state.readRecordsFile(keep: "5y 1d", "kept_by = \"tweet.id\"")
        #expect(
            try state.pruned("--run-now", "--json", "--config", longer).run().only(3).reason == same.reason)

        let unkept = try state.readRecordsFile(keep: "5y")
        let reason = try state.pruned("--run-now", "--json", "--config", unkept).run().only(3).reason
        #expect(
            reason?.hasSuffix("it was changed since its last run (kept_by), which alone adds 0 rows") == true)
    }
}
