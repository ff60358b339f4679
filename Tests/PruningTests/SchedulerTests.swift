import Foundation
import Pruning
import Retention
import Synchronization
import TestSupport
import Testing

struct SchedulerTests {
    /// A scheduler whose time is the test's.
    private final class Bench: Sendable {
        let clock = ManualClock(now: runStart)
        let policy: RetentionPolicy
        let scheduler: Scheduler
        let timers: [ManualTimer]
        private let wakes: WakeCount

        final class WakeCount: Sendable {
            let count = Mutex(0)
        }

        init(_ rules: [RetentionRule]) throws {
            policy = try RetentionPolicy(
                timeZone: .gmt, stores: [StoreDefinition(name: "s", path: "s")], rules: rules)
            let made = Mutex<[ManualTimer]>([])
            let wakes = WakeCount()
            scheduler = Scheduler(
                policy: policy,
                makeTimer: {
                    let timer = ManualTimer()
                    made.withLock { $0.append(timer) }
                    return timer
                }, wake: { wakes.count.withLock { $0 += 1 } })
            timers = made.withLock { $0 }
            self.wakes = wakes
        }

        var wakeCount: Int { wakes.count.withLock { $0 } }

        func plan(_ lastRuns: [Name: Date] = [:], notBefore: [Name: Date] = [:]) {
            scheduler.plan(lastRuns: lastRuns, notBefore: notBefore, now: clock.now)
        }

        func due() -> [Name] { scheduler.dueRules(at: clock.now).map(\.name) }

        /// Lets time pass; armed timers fire.
        func pass(_ duration: Duration) {
            clock.advance(by: duration)
            for timer in timers { timer.pass(to: clock.now) }
        }
    }

    private func rule(
        _ name: Name, every: Span = Span(1, .day), table: String = "t", keptBy: ColumnReference? = nil
    )
        -> RetentionRule
    {
        RetentionRule(
            name: name, store: "s", table: table, expiry: .age(column: "at", keep: Span(30, .day)),
            every: every,
            keptBy: keptBy.map { [$0] } ?? [])
    }

    private func hoursAgo(_ hours: Double) -> Date { runStart.addingTimeInterval(-3_600 * hours) }

    @Test("a rule that never ran is due at once")
    func first() throws {
        let bench = try Bench([rule("a")])
        bench.plan()
        #expect(bench.due() == ["a"])
        bench.pass(.zero)
        #expect(bench.wakeCount == 1)
    }

    @Test("runs that were missed are made up for once")
    func missed() throws {
        let bench = try Bench([rule("a")])
        bench.plan(["a": hoursAgo(24 * 7)])
        #expect(bench.due() == ["a"])
        bench.plan(["a": bench.clock.now])
        #expect(bench.due() == [])
        #expect(bench.scheduler.next()?.due == runStart.addingTimeInterval(86_400))
    }

    @Test("a service that restarts every minute does not run a daily rule every minute")
    func restarts() throws {
        var lastRuns: [Name: Date] = [:]
        var runs = 0
        for minute in 0..<(47 * 60) {
            let bench = try Bench([rule("a")])
            bench.clock.advance(by: .seconds(60 * minute))
            bench.plan(lastRuns)
            for name in bench.due() {
                runs += 1
                lastRuns[name] = bench.clock.now
            }
        }
        #expect(runs == 2)
    }

    @Test("rules that are due together come in the policy's order")
    func together() throws {
        let bench = try Bench([
            rule("a", table: "kept", keptBy: ColumnReference(table: "keeper", column: "id")),
            rule("z", table: "keeper"), rule("m", every: Span(5, .minute)),
        ])
        bench.plan()
        #expect(bench.due() == ["m", "z", "a"])
        bench.plan(["a": hoursAgo(25), "z": hoursAgo(25), "m": runStart])
        #expect(bench.due() == ["z", "a"])
    }

    @Test("a timer fires at its rule's time and not before")
    func timer() throws {
        let bench = try Bench([rule("a", every: Span(5, .minute))])
        bench.plan(["a": runStart])
        bench.pass(.seconds(299))
        #expect(bench.wakeCount == 0)
        bench.pass(.seconds(1))
        #expect(bench.wakeCount == 1)
        #expect(bench.due() == ["a"])
    }

    @Test(
        "a run may be as late as a tenth of its interval, and a minute at the most",
        arguments: [(Span(1, .second), 0.1), (Span(5, .minute), 30), (Span(1, .day), 60)] as [(Span, Double)])
    func leeway(every: Span, leeway: Double) throws {
        let bench = try Bench([rule("a", every: every)])
        bench.plan()
        #expect(bench.timers.map(\.leeway) == [leeway])
    }

    @Test("a rule that is due within its leeway runs with the one that woke the service")
    func dueSoon() throws {
        let bench = try Bench([rule("a"), rule("b"), rule("c")])
        bench.plan([
            "a": hoursAgo(24), "b": hoursAgo(24).addingTimeInterval(59),
            "c": hoursAgo(24).addingTimeInterval(61),
        ])
        #expect(bench.due() == ["a", "b"])
    }

    @Test("a rule waits for the time before which it must not run, however overdue")
    func notBefore() throws {
        let bench = try Bench([rule("a", every: Span(5, .minute)), rule("b", every: Span(5, .minute))])
        let later = runStart.addingTimeInterval(600)
        bench.plan(notBefore: ["a": later])
        #expect(bench.due() == ["b"])
        bench.plan(["b": runStart], notBefore: ["a": later, "b": runStart.addingTimeInterval(1)])
        #expect(bench.scheduler.next()?.rule == "b")
        #expect(bench.scheduler.next()?.due == runStart.addingTimeInterval(300))
        bench.pass(.seconds(600))
        #expect(bench.due() == ["a", "b"])
    }

    @Test("a last run in the future was recorded by a wrong clock, and counts as none")
    func future() throws {
        let bench = try Bench([rule("a")])
        bench.plan(["a": runStart.addingTimeInterval(3_600)])
        #expect(bench.due() == ["a"])
    }

    @Test(
        "a last run is any number that a file may hold",
        arguments: [-1e300, -1e18, -1e12, 0, 1e12, 1e18, 1e300])
    func absurd(seconds: Double) throws {
        let bench = try Bench([rule("a")])
        bench.plan(["a": Date(timeIntervalSince1970: seconds)])
        #expect(bench.due() == ["a"])
    }

    @Test("after cancel nothing is due and nothing fires")
    func cancel() throws {
        let bench = try Bench([rule("a"), rule("b")])
        bench.plan()
        bench.scheduler.cancel()
        bench.pass(.seconds(86_400 * 2))
        #expect(bench.wakeCount == 0)
        #expect(bench.due() == [])
        #expect(bench.scheduler.next() == nil)
    }

    @Test("planning again replaces what was planned")
    func replan() throws {
        let bench = try Bench([rule("a")])
        bench.plan()
        bench.plan(["a": runStart])
        bench.pass(.seconds(3_600))
        #expect(bench.wakeCount == 0)
    }

    @Test("the system's timer fires at once when its time has passed, and not after cancel")
    func systemTimer() {
        let queue = DispatchQueue(label: "test")
        let (timer, cancelled) = (DispatchWallClockTimer(queue: queue), DispatchWallClockTimer(queue: queue))
        let fired = DispatchSemaphore(value: 0)
        cancelled.arm(at: Date(timeIntervalSinceNow: 0.05), leeway: 0) { Issue.record("fired after cancel") }
        cancelled.cancel()
        timer.arm(at: .distantFuture, leeway: 0) { Issue.record("fired for what was replaced") }
        timer.arm(at: Date(timeIntervalSinceNow: 0.1), leeway: 0.01) { fired.signal() }
        #expect(fired.wait(timeout: .now() + 10) == .success)
        timer.arm(at: Date(timeIntervalSinceNow: -3_600), leeway: 0) { fired.signal() }
        #expect(fired.wait(timeout: .now() + 10) == .success)
    }

    @Test("the system's timer does not take the far future for the past", arguments: [300, 640, 1_000])
    func farFuture(years: Double) {
        let queue = DispatchQueue(label: "test")
        let timer = DispatchWallClockTimer(queue: queue)
        let fired = DispatchSemaphore(value: 0)
        timer.arm(at: Date(timeIntervalSinceNow: years * 365 * 86_400), leeway: 0) { fired.signal() }
        // A timer that fires at once does so before one that fires later.
        queue.asyncAfter(wallDeadline: .now() + 0.05) { fired.signal() }
        fired.wait()
        #expect(fired.wait(timeout: .now() + 0.05) == .timedOut)
    }
}
