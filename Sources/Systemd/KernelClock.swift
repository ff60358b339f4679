import CSystemd
import FoundationEssentials

/// The kernel's clock, with the state that a time service has set in the kernel. `timedatectl` shows the same state.
package enum KernelClock {
    /// Whether the clock is synchronised with a time server and `reading` is from that clock. If the program uses
    /// another clock than the kernel's, the kernel's state says nothing about it. False if the kernel cannot be asked.
    ///
    /// The kernel clears the state when somebody sets the clock by hand, and when the state has not been renewed for
    /// about a day (`adjtimex(2)`).
    package static func isSynchronised(_ reading: Date) -> Bool {
        var clock = timex()
        let state = adjtimex(&clock)
        // The unit's ProtectClock= forbids this call, as it forbids all calls that could set the clock.
        guard state >= 0 else { return TimeDate.isSynchronised(reading, within: sameWithin) }
        return state != TIME_ERROR
            && abs(reading.timeIntervalSince1970 - Double(clock.time.tv_sec)) < sameWithin
    }

    /// In seconds. Two readings that differ by less are from the same clock.
    private static let sameWithin: TimeInterval = 60
}

/// `systemd-timedated`, which `timedatectl` also asks. It tells the state of the clock to processes that may not ask
/// the kernel.
enum TimeDate {
    /// Whether it reports that the clock is synchronised, and `reading` is from that clock. False if it does not
    /// answer.
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

    /// In microseconds. It is longer than timedated takes to start, and shorter than the watchdog's interval.
    private static let timeout: UInt64 = 5_000_000

    /// Reads the property `name` into a variable of the C type for its D-Bus type `type`.
    private static func get(
        _ name: String, _ type: Unicode.Scalar, of bus: OpaquePointer, into value: UnsafeMutableRawPointer
    ) -> Bool {
        let found = sd_bus_get_property_trivial(
            bus, "org.freedesktop.timedate1", "/org/freedesktop/timedate1", "org.freedesktop.timedate1", name,
            nil, CChar(type.value), value)
        return found >= 0
    }
}
