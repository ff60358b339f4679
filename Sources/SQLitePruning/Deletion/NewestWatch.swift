import Pruning
import SQLite

/// Between two batches the app may delete rows or change their times, so that other rows become the newest, which the
/// rule keeps.
struct NewestWatch {
    /// How the newest rows of groups are looked for if nobody could commit meanwhile; nil in WAL mode.
    let pieces: CensusInPieces?
    let path: String
    /// The data version at the last check.
    private(set) var dataVersion: Int64

    /// Makes `condition` keep the rows that are the newest now. `dataVersion` is that of the store now. Throws
    /// ``StoreErrorKind/busy`` if that may not take long, and would.
    mutating func keep(
        _ condition: inout ExpiryCondition, asOf dataVersion: Int64, mayTakeLong: Bool, in db: Database
    ) throws {
        guard dataVersion != self.dataVersion else { return }
        if condition.hasGroups {
            return try keepGroups(&condition, asOf: dataVersion, mayTakeLong: mayTakeLong, in: db)
        }
        if try !condition.newestStand(in: db) {
            guard mayTakeLong || condition.newestAreFoundQuickly else { throw condition.newestChange(path) }
            try condition.lookForNewest(in: db)
        }
        self.dataVersion = dataVersion
    }

    /// With an index, each row is judged by its group as it is now. Without one the groups are looked at again, which is
    /// not remembered inside a transaction: its rollback would undo what was found.
    private mutating func keepGroups(
        _ condition: inout ExpiryCondition, asOf dataVersion: Int64, mayTakeLong: Bool, in db: Database
    ) throws {
        guard !condition.groupsAreIndexed else {
            condition.groupsMayHaveChanged = true
            return
        }
        guard try mayTakeLong || condition.groupsAreFoundQuickly(in: db) else {
            throw condition.newestChange(path)
        }
        if mayTakeLong, let pieces {
            try pieces.lookForNewest(&condition, path: path, in: db)
        } else {
            try condition.lookForNewest(in: db)
        }
        if mayTakeLong { self.dataVersion = dataVersion }
    }
}
