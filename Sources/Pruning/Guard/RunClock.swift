import FoundationEssentials
import Retention

/// The clock during one run, which was believed when that began.
struct RunClock: Sendable {
    private let clockGuard: ClockGuard?
    private let start: ClockReading?

    /// The clock of a run that has just begun, at `startedAt`. Nil: it is right whatever it says.
    init(_ clockGuard: ClockGuard?, startedAt: Date) {
        self.clockGuard = clockGuard
        start = clockGuard?.reading(startedAt)
    }

    /// Why the clock cannot be believed to have been right at the start; nil when it can.
    var doubt: ClockDoubt? { start.flatMap { clockGuard?.wentBack(since: $0) } }
}
