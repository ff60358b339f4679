import Foundation

/// When a rule runs next, as the service decides it.
public enum NextRun: Equatable, Sendable {
    /// Then.
    case at(Date)
    /// It is due.
    case now
    /// It deletes nothing before something has happened.
    case waits(Obstacle)

    /// What has to happen. The names are those of `pruned status --json`: they stay.
    public enum Obstacle: String, Codable, Sendable {
        /// A person confirms what is held.
        case confirmation
        /// The clock is believed again.
        case clock
        /// The service tries once more what failed, within ten minutes.
        case retry
    }
}
