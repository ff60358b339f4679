import FoundationEssentials
import Pruning
import Retention
import Synchronization
import Systemd

/// The status line of `systemctl status`, until a run in progress replaces it.
struct ServiceStatus: CustomStringConvertible {
    /// The stores with a run in progress.
    let running: [Name]
    let next: (rule: Name, due: Date)?
    let timeZone: Zone
    let clockDoubt: String?
    let refusal: String?
    let troubles: [String]

    var description: String {
        var parts = [
            running.isEmpty ? idle : "Running on store \(running.map(\.description).joined(separator: ", "))"
        ]
        if let clockDoubt { parts.append("nothing is pruned: \(clockDoubt)") }
        if let refusal { parts.append("configuration refused: \(refusal)") }
        parts += troubles
        return parts.joined(separator: "; ")
    }

    private var idle: String {
        next.map { "Idle; next: \($0.rule) at \($0.due.local(in: timeZone))" } ?? "Idle"
    }
}

/// Reports the progress of a run to systemd, at most four times a second.
final class StatusProgress: RunObserver {
    private let notifier: any ServiceNotifier
    private let toldAt = Mutex<Duration?>(nil)
    private static let interval = Duration.milliseconds(250)

    init(notifier: any ServiceNotifier) {
        self.notifier = notifier
    }

    func observe(_ event: PruneEvent) {
        switch event {
        case .ruleStarted(let task, let expired, _):
            toldAt.withLock { $0 = SystemTime.monotonic() }
            tell("Running \(task.rule.name): \(expired.grouped) rows to \(task.rule.action.infinitive)")
        case .batchCommitted(let report, _):
            if isDue() { tell("Running \(ProgressText(report))") }
        case .waiting(let task, let error, _):
            tell("Waiting with \(task.rule.name): \(error.cause)")
        case .reclaiming(let report):
            if isDue() { tell("Reclaiming \(ReclaimText(report).progress)") }
        case .confirmationTaken, .ruleFinished, .reclaimFinished, .remarked: break
        }
    }

    private func isDue() -> Bool {
        let now = SystemTime.monotonic()
        return toldAt.withLock { last in
            guard last.map({ now - $0 >= Self.interval }) ?? true else { return false }
            last = now
            return true
        }
    }

    private func tell(_ text: String) {
        notifier.notify([.status(text)])
    }
}
