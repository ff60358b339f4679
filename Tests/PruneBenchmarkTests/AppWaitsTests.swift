import Foundation
import TestSupport
import Testing

@testable import PruneBenchmark

@Suite struct AppWaitsTests {
    private func call(at start: Int64, taking nanoseconds: Int64, isRefused: Bool = false) -> Call {
        Call(start: start, end: start + nanoseconds, isRefused: isRefused)
    }

    @Test("a call counts when it was under way in the time in question")
    func time() {
        let calls = [
            call(at: 0, taking: 9_000_000), call(at: 9_000_000, taking: 2_000_000),
            call(at: 15_000_000, taking: 1_000_000), call(at: 20_000_000, taking: 5_000_000),
            call(at: 26_000_000, taking: 8_000_000),
        ]
        let waits = AppWaits(calls, from: 10_000_000, until: 20_000_000)
        #expect(waits.calls == 3)
        #expect(waits.longestMilliseconds == 5)
    }

    @Test("99 of 100 calls took no longer than the 99th percentile")
    func percentile() {
        let calls = (1...100).map { call(at: $0, taking: $0 * 1_000_000) }
        let waits = AppWaits(calls, from: 0, until: 1_000)
        #expect(waits.p99Milliseconds == 99)
        #expect(waits.longestMilliseconds == 100)
    }

    @Test("the median is that of the calls in the time in question")
    func median() {
        let calls = [
            call(at: 1, taking: 1_000_000), call(at: 2, taking: 4_000_000), call(at: 3, taking: 3_000_000),
        ]
        #expect(AppWaits(calls, from: 0, until: 9).medianMilliseconds == 3)
        #expect(AppWaits(calls, from: 0, until: 1).medianMilliseconds == 1)
    }

    @Test("a slow-down is that of each run against the one before it, in fast times and slow ones")
    func slowdown() {
        func sample(_ milliseconds: Int64) -> Sample {
            Sample(
                usage: Usage(), report: nil, reclaim: nil,
                app: AppWaits([call(at: 1, taking: milliseconds * 1_000_000)], from: 0, until: 9),
                logBytes: 0, fileBytes: 0, vacuumedBytes: nil)
        }
        let (alone, beside) = ([10, 100, 20].map(sample), [12, 110, 10].map(sample))
        #expect(Measurement.slowdown(alone, beside) == 1.1)
    }

    @Test("refused calls are counted")
    func refused() {
        let calls = [call(at: 1, taking: 1), call(at: 2, taking: 1, isRefused: true)]
        #expect(AppWaits(calls, from: 0, until: 9).refused == 1)
    }

    @Test("what was refused of all runs' writes, and of their reads")
    func refusals() {
        let runs = [[false, true, false], [false, false]].map { refusedReads in
            let writes = [call(at: 1, taking: 1), call(at: 2, taking: 1, isRefused: true)]
            let reads = refusedReads.map { Call(start: 3, end: 4, isRefused: $0, isRead: true) }
            return AppWaits(writes + reads, from: 0, until: 9)
        }
        #expect(Refusals(writesOf: runs).percent == 50)
        #expect(Refusals(readsOf: runs).percent == 20)
        #expect(Refusals(readsOf: []).percent.isNaN)
    }
}
