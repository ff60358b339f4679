import Pruning
import TestSupport
import Testing

/// How long a rule will take, by what it has done so far.
struct PaceTests {
    private func pace(_ deleted: Int64, in time: Duration, batches: Int, counting: Duration = .zero) -> Pace {
        var report = Reports.rule(deleted: deleted)
        report.expired = 1_500_000
        report.batches = batches
        report.deleting = time
        report.duration = time + counting
        return Pace(report)
    }

    @Test("the time that is left is told by many batches, and not by the first few, however long they took")
    func first() {
        #expect(pace(150_000, in: .seconds(3), batches: 100).left == .seconds(27))
        #expect(pace(32, in: .seconds(3), batches: 1).left == nil, "it waited for the app")
        #expect(pace(150_000, in: .milliseconds(900), batches: 100).left == nil)
        #expect(pace(1_499_999, in: .seconds(3), batches: 100).left == nil, "nobody waits for that")
    }

    @Test("how fast it deletes does not hang on how long it counted")
    func counting() {
        let pace = pace(150_000, in: .seconds(3), batches: 100, counting: .seconds(60))
        #expect(pace.rowsPerSecond == 50_000 && pace.left == .seconds(27))
    }
}
