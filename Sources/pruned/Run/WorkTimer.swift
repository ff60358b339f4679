// Dispatch objects are safe to use from any thread; on Linux they are not yet declared so.
@preconcurrency import Dispatch
import Dispatch
import FoundationEssentials
import Glibc
import Pruning

/// Looks while stores are at work: work that cannot be ended costs the process, as nothing else gives a lock back to the
/// store's app, or lets a person have an answer. A write-ahead log or a rollback journal keep the store whole.
final class WorkTimer: Sendable {
    private let timer: any DispatchSourceTimer

    private static let interval = DispatchTimeInterval.milliseconds(500)
    /// The process ends after so many seconds even where what is to be said of it cannot be written.
    private static let longestEnd = DispatchTimeInterval.seconds(5)

    /// Calls `end`, which ends the process, with the work that is stuck.
    init(_ control: RunControl, end: @escaping @Sendable (StuckWork) -> Never) {
        timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "pruned.work"))
        timer.schedule(
            deadline: .now() + Self.interval, repeating: Self.interval, leeway: .milliseconds(50))
        timer.setEventHandler { @Sendable in
            guard let stuck = control.stuckWork() else { return }
            DispatchQueue(label: "pruned.end").asyncAfter(deadline: .now() + Self.longestEnd) {
                _exit(ExitStatus.failed.rawValue)
            }
            end(stuck)
        }
        timer.activate()
    }

    /// The work has ended.
    func cancel() { timer.cancel() }

    /// What others do is to be told, too: they have been asked to stop, and do after a batch. Waits until `haveEnded`, but no
    /// longer than a second: an app may wait for a lock.
    static func wait(for haveEnded: () -> Bool) {
        let end = SystemTime.monotonic() + .seconds(1)
        while !haveEnded(), SystemTime.monotonic() < end { usleep(5_000) }
    }

    /// Runs `body`, whose stores are at work with a control of their own. Work that is stuck is the program's failure.
    static func watch<Result, Error>(_ body: (RunControl) throws(Error) -> Result) throws(Error) -> Result {
        let control = RunControl(monotonic: SystemTime.monotonic)
        let timer = WorkTimer(control) { $0.fail() }
        defer { timer.cancel() }
        return try body(control)
    }
}

extension StuckWork {
    /// Says so, and ends the process.
    func fail() -> Never {
        Failure(error).report()
        _exit(ExitStatus.failed.rawValue)
    }
}
