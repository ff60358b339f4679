import TestSupport
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
        var pacer = BatchPacer(hold: .milliseconds(10))
        let pauses = (0..<20).map { number in
            pacer.record(batch(held: .milliseconds(2)))
            defer { pacer.paused(wasUsed: number < 10) }
            return pacer.pause.most / .milliseconds(1)
        }
        #expect(pauses.suffix(10) == [4, 6.25, 12.5, 2.5, 2.5, 2.5, 2.5, 2.5, 2.5, 2.5])
    }

    @Test("after a batch that took no lock there is no pause, and nothing is learnt from it")
    func noLock() {
        var pacer = BatchPacer(hold: .milliseconds(10))
        for _ in 0..<5 {
            pacer.record(
                BatchResult(
                    deleted: 0, dependentsDeleted: 0, visited: 0, held: .zero, isAlone: false, isLast: false))
            #expect(pacer.pause == .none)
            pacer.paused(wasUsed: true)
        }
        pacer.record(batch(held: .milliseconds(2)))
        #expect(pacer.pause.most == .milliseconds(2) * 1.25)
    }

    private func batch(held: Duration) -> BatchResult {
        BatchResult(
            deleted: 1, dependentsDeleted: 0, visited: 1, held: held, isAlone: false, isLast: false)
    }

    @Test("a writer that wakes up late now and then is not refused again and again")
    func simulated() {
        var app = WaitingWriter()
        var pacer = BatchPacer(hold: .milliseconds(10))
        var now = 0.0
        while app.writes < 100_000 {
            let held = Double.random(in: 1.5...2.9, using: &app.chance)
            app.wait(from: now, to: now + held)
            now += held
            pacer.record(batch(held: .microseconds(Int(held * 1_000))))
            let (least, most) = (
                now + pacer.pause.least / .milliseconds(1), now + pacer.pause.most / .milliseconds(1)
            )
            let written = app.write(from: now, least: least, most: most)
            now = written.map { max($0, least) } ?? most
            pacer.paused(wasUsed: written != nil)
        }
        #expect(app.longestWait > 3 && app.longestWait < 8, "\(app.longestWait) ms")
    }

    /// An app that writes every 3 ms with SQLite's busy handler; one of 50 of its sleeps is up to 2 ms too long. Times
    /// are milliseconds.
    private struct WaitingWriter {
        var chance = SeededGenerator(seed: 7)
        private(set) var writes = 0
        private(set) var longestWait = 0.0
        private var due = 0.0
        private var refusals = 0
        private var next = 0.0

        /// Asks, and is refused, while a batch has the lock.
        mutating func wait(from start: Double, to end: Double) {
            let sleeps = [1, 2, 5, 10, 15, 20, 25, 25, 25, 50, 50, 100]
            while next < end {
                let late = Int.random(in: 0..<50, using: &chance) == 0 ? 2.0 : 0.1
                next = max(start, next) + Double(sleeps[min(refusals, 11)])
                next += Double.random(in: 0...late, using: &chance)
                refusals += 1
            }
        }

        /// Writes in a pause that lasts to `least`, and to `most` unless it has. The time of its last write.
        mutating func write(from start: Double, least: Double, most: Double) -> Double? {
            var last: Double?
            while next < (last == nil ? most : least) {
                let now = max(start, next)
                longestWait = max(longestWait, now - due)
                (writes, refusals, last) = (writes + 1, 0, now)
                due = max(due + 3, now)
                next = due
            }
            return last
        }
    }
}
