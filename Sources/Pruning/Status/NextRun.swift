import FoundationEssentials

/// When a rule runs next, as the service decides it.
package enum NextRun: Equatable, Sendable {
    /// Then.
    case at(Date)
    /// It is due.
    case now
    /// It deletes nothing before something has happened.
    case waits(WaitReason)
}
