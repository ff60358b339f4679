import FoundationEssentials
import Glibc

/// The clocks of the system; everything else gets time from here.
enum SystemTime {
    /// The wall clock.
    static var now: Date { Date() }

    /// The time since some fixed instant, by a clock that is never set.
    static let monotonic: @Sendable () -> Duration = { reading(of: CLOCK_MONOTONIC) }

    /// The time since the machine was started, sleep included.
    static let sinceBoot: @Sendable () -> Duration = { reading(of: CLOCK_BOOTTIME) }

    private static func reading(of clock: clockid_t) -> Duration {
        var time = timespec()
        clock_gettime(clock, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
