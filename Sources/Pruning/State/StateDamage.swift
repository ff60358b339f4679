import FoundationEssentials
import Glibc

/// A file of the state directory that cannot be understood, as a whole or in part: it is as if that was not there.
package struct StateDamage: Equatable, Sendable {
    /// The file.
    package let path: String
    /// What is wrong with it, and what follows from that.
    package let reason: String
    /// What a person can do about it.
    package let hint: String

    /// The damaged files of `directory`. `history`: what was read of the history there.
    package static func all(in directory: String, _ history: RunHistory.Contents) -> [StateDamage] {
        var all: [StateDamage] = []
        let add = { (name: String, follows: String, hint: String) in
            let path = directory + "/" + name
            all.append(
                StateDamage(
                    path: path, reason: "\(path) is damaged and counts as empty: \(follows)", hint: hint))
        }
        if RunLedger(stateDirectory: directory).isDamaged {
            add(
                "last-runs.json", "each rule counts as new, and is due",
                "nothing need be done: the next run writes it anew")
        }
        if HoldLedger.isDamaged(in: directory) {
            add(
                "holds.json", "what was held and confirmed is forgotten",
                "move it away: the next run holds anew what is to be held")
        }
        if ClockGuard.isMemoryDamaged(stateDirectory: directory) {
            add(
                "clock.json", "when the clock was last believed is judged by the last runs",
                "nothing need be done: the next run that believes the clock writes it anew")
        }
        return all + [MetricsFile.damage(in: directory)].compactMap(\.self) + self.all(of: history)
    }

    /// What is wrong with the files that `history` was read from.
    package static func all(of history: RunHistory.Contents) -> [StateDamage] {
        history.damaged.map(strayLines)
    }

    private static func strayLines(in file: RunHistory.Contents.DamagedFile) -> StateDamage {
        let lines =
            file.lines == 1 ? "a line that is no entry" : "\(file.lines.grouped) lines that are no entries"
        return StateDamage(
            path: file.path, reason: "\(file.path) has \(lines), and what was said there is not known",
            hint: "nothing need be done: all others count; to be told no more, take them out or move it away")
    }

    /// Whether there is nothing at `path`, not even a link that leads nowhere.
    static func isMissing(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) != 0 && errno == ENOENT
    }
}
