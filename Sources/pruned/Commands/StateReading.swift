import Foundation
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
        for name in [".", "last-runs.json", "holds.json", "clock.json", "history.jsonl", "history.1.jsonl"] {
            let path = name == "." ? directory : directory + "/" + name
            guard access(path, name == "." ? R_OK | X_OK : R_OK) != 0, errno != ENOENT else { continue }
            throw Failure(
                .system(
                    errno, operation: "look at the state", place: path,
                    hint: "run as root, as the directory's owner, or as a member of its group"))
        }
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
