import PolicyFile
import Retention

extension Zone {
    /// One of the system's zones; nil where it has none of that name.
    package init?(identifier: String) {
        guard let zone = ZoneDirectory.system.zone(named: identifier) else { return nil }
        self = zone
    }
}
