import Testing

@testable import PruneBenchmark

@Suite struct AppWaitsTests {
    private func insert(at start: Int64, taking nanoseconds: Int64, isRefused: Bool = false) -> Insert {
        Insert(start: start, nanoseconds: nanoseconds, isRefused: isRefused)
    }

    @Test("an insert counts when it was under way in the time in question")
    func time() {
        let inserts = [
            insert(at: 0, taking: 9_000_000), insert(at: 9_000_000, taking: 2_000_000),
            insert(at: 15_000_000, taking: 1_000_000), insert(at: 20_000_000, taking: 5_000_000),
            insert(at: 26_000_000, taking: 8_000_000),
        ]
        let waits = AppWaits(inserts, from: 10_000_000, until: 20_000_000)
        #expect(waits.inserts == 3)
        #expect(waits.longestMilliseconds == 5)
    }

    @Test("99 of 100 inserts took no longer than the 99th percentile")
    func percentile() {
        let inserts = (1...100).map { insert(at: $0, taking: $0 * 1_000_000) }
        let waits = AppWaits(inserts, from: 0, until: 1_000)
        #expect(waits.p99Milliseconds == 99)
        #expect(waits.longestMilliseconds == 100)
    }

    @Test("refused inserts are counted")
    func refused() {
        let inserts = [insert(at: 1, taking: 1), insert(at: 2, taking: 1, isRefused: true)]
        #expect(AppWaits(inserts, from: 0, until: 9).refused == 1)
    }

    @Test("an insert is read back from its line, and no other line is one")
    func lines() {
        let refused = insert(at: 17, taking: 4, isRefused: true)
        #expect(Insert(line: Substring(refused.line)) == refused)
        #expect(Insert(line: "ready") == nil)
    }
}
