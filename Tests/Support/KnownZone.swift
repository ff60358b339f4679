import PolicyFile
import Retention

extension Zone {
    /// A zone of the system; nil if it has none with this name.
    package init?(identifier: String) {
        guard let zone = ZoneDirectory.system.zone(named: identifier) else { return nil }
        self = zone
    }
}
