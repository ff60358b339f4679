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
