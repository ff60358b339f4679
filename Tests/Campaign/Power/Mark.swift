/// What was known by an instant of a recording.
enum Mark: Codable, Equatable {
    /// The store is made; cuts may begin.
    case ready
    /// A transaction of the app's was committed, with its disk flushed.
    case committed(Transaction)
    /// A restore begins.
    case restoring
    /// A restore has ended with 0, and had put these rows back.
    case restored([Int64])
    /// The rule `big` was confirmed: `pruned confirm` has ended with 0.
    case confirmed
    /// A run begins that may take the confirmation.
    case running
    /// A run has ended with 0: no rule is held, and no confirmation left.
    case done
}

/// A transaction of the app's on the table `item`. It also adds its number to the table `acked`.
struct Transaction: Codable, Equatable {
    enum Change: String, Codable, CaseIterable {
        /// A row that is new.
        case insert
        /// A row that has expired already, as an import brings them.
        case bring
        /// An expired row becomes a new one.
        case refresh
        /// An expired row is deleted.
        case delete
    }

    let number: Int
    let change: Change
    /// The row that was changed; nil when it was gone already.
    let row: Int64?
}
