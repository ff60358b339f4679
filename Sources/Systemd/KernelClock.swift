import CSystemd
import FoundationEssentials

/// The kernel's clock, as what keeps it right has told the kernel; `timedatectl` says the same of it.
package enum KernelClock {
    /// Whether a time server keeps the clock right, and the clock is the one that has just said `reading`: where the
    /// program's clock is not the kernel's, that vouches for nothing. False as well where the kernel cannot be asked.
    ///
    /// The kernel takes the mark away itself when somebody sets the clock by hand, and when it has not been renewed for
    /// a day or so (`adjtimex(2)`).
    package static func isSynchronised(_ reading: Date) -> Bool {
        var clock = timex()
        let state = adjtimex(&clock)
        // The unit's ProtectClock= forbids to ask, along with what would set the clock.
        guard state >= 0 else { return TimeDate.isSynchronised(reading, within: sameWithin) }
        return state != TIME_ERROR
            && abs(reading.timeIntervalSince1970 - Double(clock.time.tv_sec)) < sameWithin
    }

    /// In seconds: two readings that lie this close together are of one clock.
    private static let sameWithin: TimeInterval = 60
}

/// `systemd-timedated`, which `timedatectl` asks, too: what it says of the clock to those who may not ask the kernel.
enum TimeDate {
    /// Whether it says that the clock is synchronised, and its clock is the one that has just said `reading`. False as
    /// well where nobody answers.
    static func isSynchronised(_ reading: Date, within tolerance: TimeInterval) -> Bool {
        var connection: OpaquePointer?
        guard sd_bus_open_system(&connection) >= 0, let bus = connection else { return false }
        defer { sd_bus_flush_close_unref(bus) }
        sd_bus_set_method_call_timeout(bus, timeout)
        var isSynchronised: Int32 = 0
        var microseconds: UInt64 = 0
        guard get("NTPSynchronized", "b", of: bus, into: &isSynchronised),
            get("TimeUSec", "t", of: bus, into: &microseconds)
        else { return false }
        let time = Double(microseconds) / 1_000_000
        return isSynchronised != 0 && abs(reading.timeIntervalSince1970 - time) < tolerance
    }

    /// In microseconds: longer than it takes to start, shorter than the watchdog waits.
    private static let timeout: UInt64 = 5_000_000

    /// Reads the property `name`, whose D-Bus type is `type`, into a variable of the C type that this means.
    private static func get(
        _ name: String, _ type: Unicode.Scalar, of bus: OpaquePointer, into value: UnsafeMutableRawPointer
    ) -> Bool {
        let found = sd_bus_get_property_trivial(
            bus, "org.freedesktop.timedate1", "/org/freedesktop/timedate1", "org.freedesktop.timedate1", name,
            nil, CChar(type.value), value)
        return found >= 0
    }
}
