import Glibc

/// The processor time of a thread, read from any thread.
package enum ThreadTime {
    /// Returns a function that tells how much processor time the calling thread has used since this call. It tells zero
    /// where the system does not say.
    package static func ofThisThread() -> @Sendable () -> Duration {
        var clock = clockid_t()
        guard pthread_getcpuclockid(pthread_self(), &clock) == 0 else { return { .zero } }
        let (known, begin) = (clock, reading(of: clock))
        return { max(.zero, reading(of: known) - begin) }
    }

    private static func reading(of clock: clockid_t) -> Duration {
        var time = timespec()
        guard clock_gettime(clock, &time) == 0 else { return .zero }
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
