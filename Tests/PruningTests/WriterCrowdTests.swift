import Testing

@testable import Pruning

/// Where several apps write, a pause that ends with the first one's use keeps the others waiting.
struct WriterCrowdTests {
    private func crowd(_ uses: [Int], in time: Duration) -> WriterCrowd {
        var crowd = WriterCrowd()
        for uses in uses { crowd.paused(uses: uses, in: time) }
        return crowd
    }

    @Test(
        "several are there for as long as pauses were used more often than by one who was kept waiting",
        arguments: [
            ([], false), ([0, 1, 2, 2, 1], false), ([3], true), ([1, 7, 2, 1], true),
            ([3] + Array(repeating: 1, count: 31), true), ([3] + Array(repeating: 1, count: 32), false),
        ])
    func isThere(uses: [Int], isThere: Bool) {
        #expect(crowd(uses, in: .microseconds(2_500)).isThere == isThere)
    }

    @Test("in a long time one alone may write often", arguments: [(6, false), (7, true)])
    func longTime(uses: Int, isThere: Bool) {
        #expect(crowd([uses], in: .microseconds(6_250)).isThere == isThere)
    }

    @Test("beside several that write all the time, few are refused again and again")
    func simulated() {
        let waits = WaitingWriters(periods: [3, 4, 5]).waits(of: 100_000, besideBatchesOf: 2...2.8)
        #expect(waits[99_000] < 34 && waits[99_900] < 130, "\(waits[99_000]) and \(waits[99_900]) ms")
    }
}
