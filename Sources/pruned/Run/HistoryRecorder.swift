import Ledger
import Logging
import Pruning
import Retention
import Synchronization

/// Writes the history. If that fails, it logs the error once, and does not stop anything.
final class HistoryRecorder: Sendable {
    private let ledger: Ledger
    private let logger: Logger
    private let trouble = Mutex<String?>(nil)
    private let starts = Mutex(RunStarts())

    init(ledger: Ledger, logger: Logger) {
        self.ledger = ledger
        self.logger = logger
    }

    /// Records what must be known of a run in case it is killed.
    fileprivate func record(_ event: PruneEvent, _ run: RunID, by initiator: Initiator) {
        let entry = starts.withLock { $0.entry(after: event, in: run, by: initiator) }
        if let entry { record([entry], isDurable: false) }
    }

    /// Whether anything was recorded of a run. Call it once, when the run has ended.
    func end(_ run: RunID) -> Bool { starts.withLock { $0.end(run) } }

    func record(_ entries: [HistoryEntry], isDurable: Bool = true) {
        guard !entries.isEmpty else { return }
        do throws(StoreError) {
            try ledger.write("record the history", isDurable: isDurable) { try $0.append(entries) }
            trouble.withLock { $0 = nil }
        } catch {
            let isNew = trouble.withLock { trouble in
                defer { trouble = error.cause }
                return trouble != error.cause
            }
            if isNew { logger.error(error) }
        }
    }
}

/// Records in the history what must be known of a run before it ends.
struct RunBeginning: RunObserver {
    let history: HistoryRecorder
    let run: RunID
    let initiator: Initiator
    /// The rules that the command which started the run confirms. Other confirmations were recorded when they were
    /// given.
    var confirmed: Set<Name> = []

    func observe(_ event: PruneEvent) {
        if case .confirmationTaken(let task, let seen) = event, confirmed.contains(task.rule.name) {
            history.record(
                [.confirmed(seen, of: task.rule.name, at: SystemTime.now, in: run, by: initiator)])
        }
        history.record(event, run, by: initiator)
    }
}
