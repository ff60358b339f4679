import Foundation
import Retention

/// When each rule last ran to its end, kept in the state directory so that a restart neither repeats a run nor
/// forgets one.
public struct RunLedger: Sendable {
    private let path: String

    /// The ledger of a state directory.
    public init(stateDirectory: String) {
        path = stateDirectory + "/last-runs.json"
    }

    /// The last runs by rule; empty when nothing ran yet. An unreadable ledger counts as empty: the worst that can
    /// follow is a run too many.
    public func lastRuns() -> [Name: Date] {
        guard let data = FileManager.default.contents(atPath: path),
            let seconds = try? JSONDecoder().decode([String: Double].self, from: data)
        else { return [:] }
        var runs: [Name: Date] = [:]
        for (text, second) in seconds {
            guard let name = Name(text) else { continue }
            runs[name] = Date(timeIntervalSince1970: second)
        }
        return runs
    }

    /// Remembers that `rules` ran at `date`. Another process may record at the same time: none loses an entry.
    ///
    /// Throws ``StoreError/Kind-swift.enum/inputOutput`` when the state directory cannot be written.
    public func record(_ rules: [Name], at date: Date) throws(StoreError) {
        guard !rules.isEmpty else { return }
        let directory = (path as NSString).deletingLastPathComponent
        let lock = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard lock >= 0 else { throw failure(errno) }
        defer { close(lock) }
        guard flock(lock, LOCK_EX) == 0 else { throw failure(errno) }
        var runs = lastRuns()
        for rule in rules { runs[rule] = date }
        let seconds = Dictionary(
            uniqueKeysWithValues: runs.map { ($0.key.description, $0.value.timeIntervalSince1970) })
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        do {
            try AtomicFile.replace(path, with: encoder.encode(seconds))
        } catch let error as StoreError {
            throw error
        } catch {
            throw StoreError(
                .other, operation: "remember the last runs", place: path, cause: "\(error)")
        }
    }

    private func failure(_ code: Int32) -> StoreError {
        .system(code, operation: "remember the last runs", place: path)
    }
}
