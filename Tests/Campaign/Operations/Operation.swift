/// Something that the program does and that is to survive every fault.
///
/// The rows of its store have a column `fate`, which no rule reads: what is to become of them.
struct Operation: Sendable {
    let name: String
    /// Makes the app's store. `NOW` stands for the Unix time; nil when the program itself makes the store.
    var store: String?
    /// The configuration; nil for the built-in policy.
    var policy: String?
    /// Commands without faults before the one that is attacked.
    var before: [[String]] = []
    /// The same where what they record is valid for this path of the store alone.
    var beforeInPlace: [[String]] = []
    /// The command that is attacked. `RUN` stands for the run that ``before`` began with.
    let command: [String]
    /// The exit status without faults.
    var ends: Int32 = 0
    /// How many days the clock is ahead when the command begins.
    var daysAhead = 0
    /// Commands without faults that do the rest after a command that exited with 0; nil when it has done all then.
    var after: [[String]]?
    /// Whether the rest may be held once more, as after a kill between a batch and the record of it.
    var mayBeHeld = false
    /// Counts the rows that are not yet as they are to be in the end.
    var left = [String]()
    /// Rows that must be the same at all times.
    var live = [String]()
    /// Rows that must never be there.
    var never = [String]()
    /// What an app writes.
    var app = "INSERT INTO app (text) VALUES ('written')"
    /// Rows that are in the store, in the archive or in both, at all times.
    var archived = [String]()
    /// More than the calls and allocations that it makes, whichever way the batches fall.
    let most: Counts

    /// How many calls and allocations there are.
    struct Counts: Sendable {
        let calls: Int
        /// How many of the calls write.
        let writes: Int
        /// Allocations by SQLite, and by all else.
        let sqlite: Int
        let others: Int
        /// Allocations by SQLite while it has the archive or the ledger open.
        var archive = 0
        var ledger = 0
    }

    static let storeName = "app.sqlite"
    var storeName: String { store == nil ? "shared/reader.sqlite" : Self.storeName }
}
