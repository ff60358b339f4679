import FoundationEssentials
import Ledger
import Pruning
import Retention

/// The records of a state directory. A missing directory counts as empty.
struct StateReading {
    let directory: String
    let lastRuns: [Name: LastRun]
    let holds: [Name: Hold]
    /// By rule name.
    let attempts: [String: LastAttempt]
    /// How far runs are, by rule name.
    let progress: [String: RunProgress]
    let deletions: DailyDeletions
    /// Why the directory counts as empty; nil when it does not.
    let damage: StateDamage?

    /// Throws when the directory exists and cannot be read. Treated as empty, it would look as if nothing had ever run.
    init(directory: String, until now: Date, in timeZone: Zone) throws(Failure) {
        self.directory = directory
        let ledger = Ledger(stateDirectory: directory)
        do throws(StoreError) {
            let nothing:
                (
                    [Name: LastRun], [Name: Hold], [String: LastAttempt], [String: RunProgress],
                    DailyDeletions
                ) = ([:], [:], [:], [:], DailyDeletions([], until: now, in: timeZone))
            let found = try ledger.examine(or: nothing) { tables in
                try tables.checkAll()
                return try (
                    tables.lastRuns(), tables.holds(), tables.lastAttempts(), tables.progress(),
                    tables.dailyDeletions(until: now, in: timeZone)
                )
            }
            ((lastRuns, holds, attempts, progress, deletions), damage) = found
        } catch {
            throw Failure(error)
        }
    }

    /// The rules with records, by name.
    var rules: [Name] {
        Set(lastRuns.keys).union(holds.keys).sorted()
    }
}
