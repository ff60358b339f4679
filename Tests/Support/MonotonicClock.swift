import Foundation

/// The one clock of all processes that take part.
package enum MonotonicClock {
    package static var nanoseconds: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    package static func sleep(until nanoseconds: Int64) {
        var time = timespec(
            tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
        while clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nil) == EINTR {}
    }

    package static func sleep(milliseconds: Int64) {
        sleep(until: nanoseconds + milliseconds * 1_000_000)
    }
}
