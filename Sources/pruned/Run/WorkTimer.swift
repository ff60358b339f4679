// Dispatch objects are thread-safe, but on Linux they are not yet declared Sendable.
@preconcurrency import Dispatch
import Dispatch
import Glibc
import Pruning

/// Checks for stuck work while stores are in use. Stuck work ends the process, since nothing else releases the lock for
/// the store's app or gives a person an answer. The write-ahead log or the rollback journal protects the store.
final class WorkTimer: Sendable {
    private let timer: any DispatchSourceTimer

    /// The time between two checks.
    static let interval = Duration.milliseconds(500)
    /// The process ends after this time, even if its last messages cannot be written.
    private static let longestEnd = DispatchTimeInterval.seconds(5)

    /// Calls `end` with the work that is stuck, which must end the process.
    init(_ control: RunControl, end: @escaping @Sendable (StuckWork) -> Never) {
        timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "pruned.work"))
        timer.schedule(
            deadline: .now() + Self.interval.seconds, repeating: Self.interval.seconds,
            leeway: .milliseconds(50))
        timer.setEventHandler { @Sendable in Self.check(control, end: end) }
        timer.activate()
    }

    /// Checks once. Calls `end` with the work that is stuck, which must end the process.
    static func check(_ control: RunControl, end: (StuckWork) -> Never) {
        guard let stuck = control.stuckWork() else { return }
        DispatchQueue(label: "pruned.end").asyncAfter(deadline: .now() + longestEnd) {
            _exit(ExitStatus.failed.rawValue)
        }
        end(stuck)
    }

    /// Stops checking, because the work has ended.
    func cancel() { timer.cancel() }

    /// Runs `body` with a control of its own for the stores that it uses. If work gets stuck, the program fails.
    static func watch<Result, Error>(_ body: (RunControl) throws(Error) -> Result) throws(Error) -> Result {
        let control = RunControl(monotonic: SystemTime.monotonic)
        let timer = WorkTimer(control) { $0.fail() }
        defer { timer.cancel() }
        return try body(control)
    }
}

extension StuckWork {
    /// Reports the error and ends the process.
    func fail() -> Never {
        Failure(error).report()
        _exit(ExitStatus.failed.rawValue)
    }
}
