import Pruning
import Retention
import Synchronization
import Systemd
import TerminalText

/// What a run does right now, on one line of a terminal that is written over and over; nothing when piped.
final class ProgressLine: Sendable {
    private struct State {
        var shownAt: Duration?
        var isShown = false
    }

    private let state = Mutex(State())
    private let isTerminal = StandardStream.error.isTerminal
    private static let interval = Duration.milliseconds(100)

    func show(_ event: PruneEvent) {
        guard isTerminal else { return }
        switch event {
        case .batchCommitted(let report, _): showAtIntervals { ProgressText(report).fitted(to: $0) }
        case .reclaiming(let report): showAtIntervals { _ in "reclaiming \(ReclaimText(report).progress)" }
        case .waiting(let task, let error): write { _ in "\(task.rule.name): waiting, \(error.cause)" }
        case .ruleFinished, .reclaimFinished: clear()
        case .confirmationTaken, .ruleStarted: break
        }
    }

    /// Takes the line away, so that what follows begins on a clean one.
    func clear() {
        state.withLock { state in
            guard state.isShown else { return }
            StandardStream.error.writeIfPossible("\r\u{1B}[K")
            state.isShown = false
        }
    }

    /// `text` is told how many columns there are.
    private func showAtIntervals(_ text: (Int) -> String) {
        let now = SystemTime.monotonic()
        let isDue = state.withLock { state in
            guard state.shownAt.map({ now - $0 >= Self.interval }) ?? true else { return false }
            state.shownAt = now
            return true
        }
        if isDue { write(text) }
    }

    private func write(_ text: (Int) -> String) {
        state.withLock { state in
            let columns = StandardStream.error.columns - 1
            StandardStream.error.writeIfPossible(
                "\r\u{1B}[K" + text(columns).onOneLine.shortened(toColumns: columns))
            state.isShown = true
        }
    }
}
