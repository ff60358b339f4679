/// Who works where, and who else may write there.
enum HostileScenario: String, CaseIterable {
    /// A user of its own prunes a store that its owner shares with it, in WAL mode.
    case sharedLog
    /// The same without a write-ahead log.
    case sharedJournal
    /// As root, it becomes the owner of a state directory that members of a group can write to; the store is in it.
    case stateDirectory
    /// The same, and what the program remembers is damaged.
    case damagedState
    /// The state directory is root's, and the store in a directory of another user: everything is refused.
    case root

    var journalMode: String { self == .sharedJournal ? "DELETE" : "WAL" }
    var isInState: Bool { self == .stateDirectory || self == .damagedState }
    var isOwnedByRoot: Bool { self == .root }
    /// Who starts the program.
    var user: Neighbour { isInState || isOwnedByRoot ? .root : .program }
    /// The exit status when nobody changes anything.
    var status: Int32 { self == .root ? 74 : 0 }
}
