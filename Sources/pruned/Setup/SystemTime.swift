import Foundation

/// The clocks of the system; everything else gets time from here.
enum SystemTime {
    /// The wall clock.
    static var now: Date { Date() }

    /// The time since some fixed instant, by a clock that is never set.
    static let monotonic: @Sendable () -> Duration = {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
