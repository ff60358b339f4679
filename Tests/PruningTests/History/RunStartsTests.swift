import Pruning
import Retention
import TestSupport
import Testing

/// Which beginnings of rules the history keeps.
struct RunStartsTests {
    private var beginnings = RunStarts()
    private var seed: UInt64 = 0

    /// A run of a rule that ends so, and what is kept of it: when it starts, when it commits a batch, and whether it is
    /// then said to have begun.
    private mutating func run(
        _ outcome: Outcome, deleted: Int64, of rule: Name = "r"
    ) -> (atStart: Bool, atBatch: Bool, isBegun: Bool) {
        seed += 1
        let id = Reports.run(seed: seed).runID
        let report = Reports.rule(
            rule, outcome, deleted: deleted, outcome == .done ? nil : .fault(.archiveFull))
        let keeps = { (beginnings: inout RunStarts, event: PruneEvent) in
            beginnings.entry(after: event, in: id, by: Reports.service)?.runID == id.description
        }
        let atStart = keeps(&beginnings, .ruleStarted(Reports.task(rule), expired: 9, accessPath: .walk))
        let batch = BatchResult(
            deleted: deleted, visited: 9, lockTime: .zero, isAlone: true, isLast: true)
        let atBatch = keeps(&beginnings, .batchCommitted(report, batch))
        _ = keeps(&beginnings, .ruleFinished(report))
        return (atStart, atBatch, beginnings.end(id))
    }

    @Test("what begins is kept at once, and once")
    mutating func once() {
        for _ in 1...2 { #expect(run(.done, deleted: 9) == (true, false, true)) }
        #expect(run(.held, deleted: 3) == (true, false, true))
        #expect(run(.held, deleted: 0) == (true, false, true))
    }

    @Test("what began in vain the last time is kept when it has deleted something, and each rule is its own")
    mutating func inVain() {
        #expect(run(.held, deleted: 0) == (true, false, true))
        #expect(run(.held, deleted: 0) == (false, false, false))
        #expect(run(.done, deleted: 9, of: "other") == (true, false, true))
        #expect(run(.held, deleted: 0) == (false, false, false))
        #expect(run(.held, deleted: 3) == (false, true, true))
        #expect(run(.done, deleted: 9) == (true, false, true))
    }
}
