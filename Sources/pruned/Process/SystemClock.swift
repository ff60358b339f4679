import FoundationEssentials
import Pruning
import Systemd

extension MachineClock {
    /// The clocks of this machine.
    static var system: MachineClock {
        MachineClock(
            now: { SystemTime.now }, sinceBoot: SystemTime.sinceBoot,
            isSynchronised: { KernelClock.isSynchronised($0) }, bootID: bootID)
    }

    /// Nil in the unit's sandbox, which hides it.
    private static var bootID: String? {
        FileManager.default.contents(atPath: "/proc/sys/kernel/random/boot_id").map {
            String(decoding: $0.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        }
    }
}
