import Foundation
import Pruning
import Retention
import TestSupport
import Testing

struct HistoryDigestTests {
    private var digest = HistoryDigest(by: Reports.service)

    private mutating func kinds(_ report: PruneReport, minute: Double = 0) -> [HistoryEntry.Kind] {
        digest.entries(after: report, at: .seconds(minute * 60)).map(\.kind)
    }

    @Test("runs that find nothing are summed up, for an hour")
    mutating func quiet() {
        for minute in stride(from: 0.0, through: 55, by: 5) {
            #expect(kinds(Reports.run(Reports.rule(), after: minute * 60), minute: minute) == [])
        }
        let sum = digest.entries(after: Reports.run(Reports.rule(), after: 3_600), at: .seconds(3_600))
        #expect(sum.map(\.kind) == [.quiet])
        #expect(sum.first?.runs == 13)
        #expect(sum.first?.since == runStart)
        #expect(sum.first?.time == runStart.addingTimeInterval(3_600))
        #expect(sum.first?.repeats == [RepeatedOutcome(rule: "r", outcome: .done, runs: 13)])
        #expect(digest.flush() == [])
    }

    @Test("a run that deleted something is told, after what was quiet before it")
    mutating func deletes() {
        #expect(kinds(Reports.run(Reports.rule(deleted: 1))) == [.run])
        #expect(kinds(Reports.run(Reports.rule())) == [])
        #expect(kinds(Reports.run(Reports.rule("a"), Reports.rule(deleted: 1))) == [.quiet, .run])
    }

    @Test("a run that found rows that came back is told, though it deleted nothing")
    mutating func cameBack() {
        var rule = Reports.rule()
        rule.cameBack = 0
        #expect(kinds(Reports.run(rule)) == [])
        rule.cameBack = 2
        #expect(kinds(Reports.run(rule)) == [.quiet, .run])
    }

    @Test("a run that gave space back, or first failed to, is told")
    mutating func reclaims() {
        var reclaim = ReclaimReport("s")
        reclaim.outcome = .stopped
        #expect(kinds(Reports.run(Reports.rule(), reclaims: [reclaim])) == [.run])
        #expect(kinds(Reports.run(Reports.rule(), reclaims: [reclaim])) == [])
        reclaim.reclaimedBytes = 1
        #expect(kinds(Reports.run(Reports.rule(), reclaims: [reclaim])) == [.quiet, .run])
    }

    @Test(
        "a trouble is told when it begins, when it becomes another, and when it ends; in between it is counted"
    )
    mutating func trouble() {
        #expect(kinds(Reports.run(Reports.rule("r", .held, .clock))) == [.run])
        #expect(kinds(Reports.run(Reports.rule("r", .held, .clock, cause: "10 s later"))) == [])
        #expect(kinds(Reports.run(Reports.rule("r", .held, .hold))) == [.quiet, .run])
        #expect(kinds(Reports.run(Reports.rule("r", .held, .fault(.archiveFull)))) == [.run])
        #expect(kinds(Reports.run(Reports.rule("r", .failed, .fault(.damaged)))) == [.run])
        #expect(kinds(Reports.run(Reports.rule("r", .failed, .fault(.damaged)))) == [])
        #expect(kinds(Reports.run(Reports.rule())) == [.quiet, .run])
        #expect(kinds(Reports.run(Reports.rule())) == [])
    }

    @Test("a run whose beginning is on record is told, whatever came of it: else it would look killed")
    mutating func begun() {
        let entries = digest.entries(after: Reports.run(Reports.rule()), isBegun: true, at: .zero)
        #expect(entries.map(\.kind) == [.run])
    }

    @Test("rows that cannot be judged are told once")
    mutating func implausible() {
        #expect(kinds(Reports.run(Reports.rule(implausible: 3))) == [.run])
        #expect(kinds(Reports.run(Reports.rule(implausible: 4))) == [])
    }

    @Test("what is summed up is counted by rule and how it ended")
    mutating func repeats() {
        _ = kinds(Reports.run(Reports.rule("b", .held, .hold)))
        _ = kinds(Reports.run(Reports.rule("a"), Reports.rule("b", .held, .hold)))
        _ = kinds(Reports.run(Reports.rule("b", .held, .hold)))
        _ = kinds(Reports.run(Reports.rule("c")))
        #expect(
            digest.flush().first?.repeats == [
                RepeatedOutcome(rule: "a", outcome: .done, runs: 1),
                RepeatedOutcome(rule: "b", outcome: .held, runs: 2),
                RepeatedOutcome(rule: "c", outcome: .done, runs: 1),
            ])
    }
}
