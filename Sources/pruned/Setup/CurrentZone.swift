import PolicyFile
import Retention

extension Zone {
    /// The system's, as it is now.
    static var current: Zone { ZoneDirectory.system.current() }
}
