/// What a rule waits for that deletes nothing before that has happened. The names are those of reports and of
/// `pruned status --json`: they stay.
package enum WaitReason: String, Codable, Sendable {
    /// A person confirms what is held.
    case confirmation
    /// The archive has room again.
    case archive
    /// Rows that were put back may go again.
    case leases
    /// The clock is believed again.
    case clock
    /// The service tries once more what failed, within ten minutes.
    case retry
}

extension WaitReason {
    /// What a rule waits for that this has halted; nil where it waits for nothing.
    init?(_ halt: Halt?) {
        switch halt?.kind {
        case .hold: self = .confirmation
        case .fault(.archiveFull): self = .archive
        case .leases: self = .leases
        case .clock: self = .clock
        default: return nil
        }
    }

    /// Whether it passes without a person who confirms anything, and without a clock: no confirmation helps.
    var isOfArchive: Bool { self == .archive || self == .leases }
}
