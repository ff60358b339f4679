import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Systemd

struct WatchdogTests {
    @Test(
        "the period is a third of the interval, and a minute for the longest",
        arguments: [
            (.milliseconds(150), .milliseconds(50)),
            (.seconds(30), .seconds(10)),
            (.seconds(3_600), .seconds(60)),
            (.microseconds(UInt64.max - 1), .seconds(60)),
        ] as [(Duration, DispatchTimeInterval)])
    func period(of interval: Duration, is expected: DispatchTimeInterval) {
        #expect(Watchdog.period(for: interval) == expected)
    }

    @Test("it pings from the start, then once a period, while the worker is alive")
    func pingsWhileAlive() {
        let notifier = RecordingNotifier()
        let start = ContinuousClock.now
        let watchdog = Watchdog(interval: .milliseconds(150), notifier: notifier) { true }
        #expect(notifier.wait { $0.count >= 4 })
        // Three periods lie between the first ping and the fourth; a timer may take its leeway off the last.
        #expect(start.duration(to: .now) >= .milliseconds(140))
        #expect(notifier.notifications.allSatisfy { $0 == [.watchdog] })
        withExtendedLifetime(watchdog) {}
    }

    @Test("it stops when the worker is not alive, and resumes when it is again")
    func followsTheWorker() {
        let notifier = RecordingNotifier()
        let worker = Worker()
        let watchdog = Watchdog(interval: .milliseconds(30), notifier: notifier) { worker.isAlive() }
        #expect(notifier.wait { $0.count >= 2 })

        worker.stall()
        // Asked again, so the ping that may have been under way is sent.
        #expect(worker.waitUntilAsked(times: 1))
        let before = notifier.notifications.count
        #expect(worker.waitUntilAsked(times: 6))
        #expect(notifier.notifications.count == before)

        worker.resume()
        #expect(notifier.wait { $0.count >= before + 2 })
        withExtendedLifetime(watchdog) {}
    }

    @Test("it does not ping while the question about the worker blocks")
    func blockedAnswerIsNotAlive() {
        let notifier = RecordingNotifier()
        let asked = DispatchSemaphore(value: 0)
        let answer = DispatchSemaphore(value: 0)
        let watchdog = Watchdog(interval: .milliseconds(3), notifier: notifier) {
            asked.signal()
            answer.wait()
            return true
        }
        asked.wait()
        #expect(!notifier.wait(seconds: 0.05) { !$0.isEmpty })
        answer.signal()
        #expect(notifier.wait { !$0.isEmpty })
        // Leaves no thread behind that waits for ever.
        for _ in 0..<1_000 { answer.signal() }
        withExtendedLifetime(watchdog) {}
    }

    @Test("it is silent once released")
    func releasedIsSilent() {
        let notifier = RecordingNotifier()
        var watchdog: Watchdog? = Watchdog(interval: .milliseconds(3), notifier: notifier) { true }
        #expect(notifier.wait { !$0.isEmpty })
        #expect(watchdog != nil)
        watchdog = nil
        // A ping that was under way may still come; after that, none for fifty periods.
        _ = notifier.wait(seconds: 0.05) { _ in false }
        let last = notifier.notifications.count
        #expect(!notifier.wait(seconds: 0.05) { $0.count > last })
    }

    @Test(
        "the interval is the one that systemd set for this process",
        arguments: [
            ("3000000", true, "3.0 seconds"),
            ("3000000", false, "none"),
            ("0", true, "none"),
            ("not a number", true, "none"),
            (nil, true, "none"),
        ] as [(String?, Bool, String)])
    func interval(microseconds: String?, forThisProcess: Bool, is expected: String) async {
        // In a process of its own: see SystemdNotifierTests.
        await #expect(processExitsWith: .success) {
            [
                microseconds = microseconds as String?, forThisProcess = forThisProcess as Bool,
                expected = expected as String
            ] in
            unsetenv("WATCHDOG_USEC")
            if let microseconds { setenv("WATCHDOG_USEC", microseconds, 1) }
            setenv("WATCHDOG_PID", "\(forThisProcess ? getpid() : getppid())", 1)
            #expect((Watchdog.interval()?.description ?? "none") == expected)
        }
    }
}

/// A worker that can be stalled, and knows how often it was asked since.
private final class Worker: Sendable {
    private let state = Mutex((alive: true, timesAsked: 0))
    private let asked = DispatchSemaphore(value: 0)

    func isAlive() -> Bool {
        defer { asked.signal() }
        return state.withLock {
            $0.timesAsked += 1
            return $0.alive
        }
    }

    func stall() { state.withLock { $0 = (false, 0) } }
    func resume() { state.withLock { $0.alive = true } }

    func waitUntilAsked(times: Int) -> Bool {
        while state.withLock({ $0.timesAsked }) < times {
            guard asked.wait(timeout: .now() + 10) == .success else { return false }
        }
        return true
    }
}
