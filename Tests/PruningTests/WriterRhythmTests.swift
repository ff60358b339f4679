import Testing

@testable import Pruning

/// Who uses the lock regularly and is late may be waiting for it.
struct WriterRhythmTests {
    private func rhythm(_ pauses: String) -> WriterRhythm {
        var rhythm = WriterRhythm()
        for pause in pauses { rhythm.paused(wasUsed: pause == "x") }
        return rhythm
    }

    @Test(
        "late is who used more than every other pause, and then takes longer than twice as long as usual",
        arguments: [
            ("", nil), ("....", nil), ("x", 0), ("x.", 1), ("xxxx...", 3), ("x.x.x.x.x.x", 0),
            ("..x", nil), ("..x....", nil), ("..xxxx", 0), ("..xxxx..", 1), ("xx..x..x..x..x", nil),
            ("........x" + String(repeating: "x", count: 20) + "..", 2),
        ])
    func missed(pauses: String, missed: Int?) {
        #expect(rhythm(pauses).missedByRegular == missed)
    }

    @Test("the pause gets as long as the sleep in which the late one may be, but not for long")
    func pauses() {
        let usual = BusyHandler.gap(after: .milliseconds(2))
        #expect(usual == .milliseconds(2) * 1.25)
        let gaps = (0...20).map { BusyHandler.gap(after: .milliseconds(2), forRegularWhoMissed: $0) }
        #expect(gaps.prefix(3) == [.milliseconds(4), .milliseconds(5) * 1.25, .milliseconds(10) * 1.25])
        #expect(gaps.dropFirst(3).allSatisfy { $0 == usual })
        let long = Duration.milliseconds(60)
        #expect(BusyHandler.gap(after: long, forRegularWhoMissed: 0) == BusyHandler.gap(after: long))
    }

    @Test("who has gone costs two longer pauses")
    func gone() {
        var pacer = BatchPacer(lockTime: .milliseconds(10))
        let pauses = (0..<20).map { number in
            pacer.record(batch(held: .milliseconds(2)))
            defer { pacer.paused(uses: number < 10 ? 1 : 0, in: pacer.pause.most) }
            return pacer.pause.most / .milliseconds(1)
        }
        #expect(pauses.suffix(10) == [4, 6.25, 12.5, 2.5, 2.5, 2.5, 2.5, 2.5, 2.5, 2.5])
    }

    @Test("after a batch that took no lock there is no pause, and nothing is learnt from it")
    func noLock() {
        var pacer = BatchPacer(lockTime: .milliseconds(10))
        for _ in 0..<5 {
            pacer.record(
                BatchResult(
                    deleted: 0, visited: 0, lockTime: .zero, isAlone: false, isLast: false))
            #expect(pacer.pause == .none)
            pacer.paused(uses: 1, in: .zero)
        }
        pacer.record(batch(held: .milliseconds(2)))
        #expect(pacer.pause.most == .milliseconds(2) * 1.25)
    }

    private func batch(held: Duration) -> BatchResult {
        BatchResult(
            deleted: 1, visited: 1, lockTime: held, isAlone: false, isLast: false)
    }

    @Test("a writer that wakes up late now and then is not refused again and again")
    func simulated() {
        let waits = WaitingWriters(periods: [3]).waits(of: 100_000, besideBatchesOf: 1.5...2.9)
        #expect(waits.last.map { $0 > 3 && $0 < 8 } == true, "\(waits.suffix(1)) ms")
    }
}
