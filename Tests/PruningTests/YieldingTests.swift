import Synchronization
import TestSupport
import Testing

@testable import Pruning

/// The pause between two batches, in which whoever waits for the lock gets a turn.
struct YieldingTests {
    /// A worker's looks for others' changes, each of which takes a millisecond.
    private final class Looks: Sendable {
        let clock = ManualClock(now: runStart)
        let control: RunControl
        private let count = Mutex(0)

        init() { control = RunControl(monotonic: clock.monotonic) }

        /// Yields for `pause`, and tells how often the worker looked; `find` is told the number of each look, and says
        /// whether it finds a change.
        func during(
            _ pause: Duration, least: Duration = .zero, _ find: @escaping @Sendable (Int) -> Bool
        ) throws -> Int {
            let store = FakeStore(batches: []) {
                self.clock.advance(by: .milliseconds(1))
                let number = self.count.withLock { count in
                    count += 1
                    return count
                }
                return find(number) ? 1 : 0
            }
            _ = try store.openWorker(control).yield(
                for: Pause(least: least, most: pause), RunSettings(monotonic: clock.monotonic), control)
            return count.withLock { $0 }
        }
    }

    @Test("it lasts as long as nobody else has written")
    func lasts() throws {
        let looks = Looks()
        #expect(try looks.during(.milliseconds(20)) { _ in false } == 20)
        #expect(looks.clock.monotonic() == .milliseconds(20))
    }

    @Test("it ends when somebody else has written", arguments: [1, 7])
    func ends(look: Int) throws {
        #expect(try Looks().during(.milliseconds(20)) { $0 == look } == look)
    }

    @Test("it lasts for its least time before anybody's use of the lock ends it")
    func least() throws {
        let begin = systemMonotonic()
        #expect(try Looks().during(.milliseconds(20), least: .milliseconds(5)) { _ in true } == 1)
        #expect(systemMonotonic() - begin >= .milliseconds(5))
    }

    @Test("it ends at a stop request", arguments: [1, 7])
    func stops(look: Int) throws {
        let looks = Looks()
        let count = try looks.during(.milliseconds(20)) { number in
            if number == look { looks.control.requestStop("SIGTERM") }
            return false
        }
        #expect(count == look)
    }

    @Test("after a stop request, or where nobody can wait, it does not begin", arguments: [0, 20])
    func doesNotBegin(milliseconds: Int) throws {
        let looks = Looks()
        if milliseconds > 0 { looks.control.requestStop("SIGTERM") }
        #expect(try looks.during(.milliseconds(milliseconds)) { _ in false } == 0)
    }

    @Test("it does not end for others twice in a row, so that a second one who waits gets a turn")
    func notTwice() throws {
        var pacer = BatchPacer(lockTime: .milliseconds(10))
        let cuts = [true, true, true, false, true].map { wasUsed in
            pacer.record(
                BatchResult(
                    deleted: 1, visited: 1, lockTime: .milliseconds(1), isAlone: false,
                    isLast: false))
            defer { pacer.paused(uses: wasUsed ? 1 : 0, in: pacer.pause.most) }
            return pacer.pause.least == .zero
        }
        #expect(cuts == [true, false, true, false, true])
    }
}
