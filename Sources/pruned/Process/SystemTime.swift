import FoundationEssentials
import Glibc
import PolicyFile
import Pruning
import Retention
import Systemd

/// The clocks of the system. All other code gets the time from here.
enum SystemTime {
    /// The wall clock.
    static var now: Date { Date() }

    /// A monotonic clock: the time since some fixed instant.
    static let monotonic: @Sendable () -> Duration = { reading(of: CLOCK_MONOTONIC) }

    /// The time since boot, including sleep.
    static let sinceBoot: @Sendable () -> Duration = { reading(of: CLOCK_BOOTTIME) }

    private static func reading(of clock: clockid_t) -> Duration {
        var time = timespec()
        clock_gettime(clock, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}

extension MachineClock {
    /// The clocks of this machine.
    static var system: MachineClock {
        MachineClock(
            now: { SystemTime.now }, sinceBoot: SystemTime.sinceBoot,
            isSynchronised: { KernelClock.isSynchronised($0) }, bootID: bootID)
    }

    /// Nil in the unit's sandbox, which hides the file.
    private static var bootID: String? {
        FileManager.default.contents(atPath: "/proc/sys/kernel/random/boot_id").map {
            String(decoding: $0.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        }
    }
}

extension Zone {
    /// The system's current time zone.
    static var current: Zone { ZoneDirectory.system.current() }
}
