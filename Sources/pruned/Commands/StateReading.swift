import FoundationEssentials
import Pruning
import Retention

/// What stands in a state directory. One that is not there yet is empty.
struct StateReading {
    let directory: String
    let lastRuns: [Name: LastRun]
    let holds: [Name: Hold]
    /// In the order in which it was written.
    let history: [HistoryEntry]
    /// What of it cannot be understood.
    let damage: [StateDamage]

    /// Throws where something that is there cannot be read: it would look as if nothing had ever run.
    init(directory: String) throws(Failure) {
        self.directory = directory
        do { try StateAccess.checkAll(directory) } catch { throw Failure(error) }
        lastRuns = RunLedger(stateDirectory: directory).lastRuns()
        holds = HoldLedger(stateDirectory: directory).holds()
        do throws(StoreError) {
            let contents = try RunHistory(stateDirectory: directory).contents()
            history = contents.entries
            damage = StateDamage.all(in: directory, contents)
        } catch {
            throw Failure(error)
        }
    }

    /// The rules that have left a trace, by name.
    var rules: [Name] {
        Set(lastRuns.keys).union(holds.keys).sorted()
    }
}
