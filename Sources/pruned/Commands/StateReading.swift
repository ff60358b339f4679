import FoundationEssentials
import Ledger
import Pruning
import Retention

/// What is remembered in a state directory. One that is not there yet is empty.
struct StateReading {
    let directory: String
    let lastRuns: [Name: LastRun]
    let holds: [Name: Hold]
    /// By the rules' names.
    let attempts: [String: LastAttempt]
    let deletions: DailyDeletions
    /// Why it counts as empty; nil when it does not.
    let damage: StateDamage?

    /// Throws where it is there and cannot be read: it would look as if nothing had ever run.
    init(directory: String, until now: Date, in timeZone: Zone) throws(Failure) {
        self.directory = directory
        let ledger = Ledger(stateDirectory: directory)
        do throws(StoreError) {
            let nothing: ([Name: LastRun], [Name: Hold], [String: LastAttempt], DailyDeletions) =
                ([:], [:], [:], DailyDeletions([], until: now, in: timeZone))
            let found = try ledger.examine(or: nothing) { tables in
                try tables.checkAll()
                return try (
                    tables.lastRuns(), tables.holds(), tables.lastAttempts(),
                    tables.dailyDeletions(until: now, in: timeZone)
                )
            }
            ((lastRuns, holds, attempts, deletions), damage) = found
        } catch {
            throw Failure(error)
        }
    }

    /// The rules that have left a trace, by name.
    var rules: [Name] {
        Set(lastRuns.keys).union(holds.keys).sorted()
    }
}
