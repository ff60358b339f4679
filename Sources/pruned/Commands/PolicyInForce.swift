import FoundationEssentials
import PolicyFile
import Pruning
import Retention

/// By which policy the service works, as it says itself.
struct PolicyInForce {
    /// What the service goes by.
    let configuration: Configuration
    /// When it read that.
    let since: Date
    /// Why it refused what it read since; nil when it has not read anything.
    let refusal: ServiceRecord.Refusal?
    /// The time zone of its system.
    private let timeZone: Zone

    /// Nil where it cannot be understood, as that of another version.
    init?(_ record: ServiceRecord) {
        let zone = ZoneDirectory.system.zone(named: record.timeZone) ?? Zone(rules: record.timeZone)
        guard let timeZone = zone,
            let configuration = try? Configuration(rendered: record.policy, systemTimeZone: timeZone)
        else { return nil }
        self.configuration = configuration
        self.timeZone = timeZone
        since = record.readAt
        refusal = record.refusal
    }

    /// Whether the files say something else. Where they name no time zone, the service reads them in that of its system,
    /// which may be another than the caller's.
    func isOther(than setup: Setup) -> Bool {
        guard configuration.policy != setup.policy else { return false }
        guard timeZone != .current,
            let again = try? Setup.readConfiguration(
                setup.configurationFiles, stateDirectory: setup.stateDirectory, systemTimeZone: timeZone)
        else { return true }
        return configuration.policy != again.policy
    }
}
