import Pruning
import Retention
import Synchronization
import TerminalText

/// The progress of a rule: "timeline: 120,000 of 1,500,000 deleted, 8%, 60,000 rows/s, 23 s left".
struct ProgressText: CustomStringConvertible {
    private let report: RuleReport

    init(_ report: RuleReport) {
        self.report = report
    }

    var description: String { "\(report.rule): \(counts), \(pace)\(wait)" }

    /// The progress in at most `columns` columns. If space is short, the counts are left out, then the time left, and then
    /// the end of the name is cut off. The rate matters most.
    func fitted(to columns: Int) -> String {
        let facts =
            [counts + ", " + pace + wait, pace + wait].first { $0.columns + Self.leastName + 2 <= columns }
            ?? pace
        let name = report.rule.description.shortened(toColumns: max(1, columns - facts.columns - 2))
        return "\(name): \(facts)".shortened(toColumns: columns)
    }

    /// A name shorter than this would not be recognisable.
    private static let leastName = 12

    private var expired: Int64 { report.expired ?? 0 }
    private var counts: String {
        "\(report.deleted.grouped) of \(expired.grouped) \(report.marks ? "marked" : "deleted")"
    }

    /// The share and the rate.
    private var pace: String {
        let share = expired > 0 ? "\(report.deleted * 100 / expired)%, " : ""
        return "\(share)\(Int(Pace(report).rowsPerSecond).grouped) rows/s"
    }

    /// The time left.
    private var wait: String { Pace(report).left.map { ", \($0.roughText) left" } ?? "" }
}

/// Shows the progress of a run on one line of the terminal, which is overwritten. Shows nothing if standard error is
/// not a terminal.
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
        case .waiting(let task, let error, _): write { _ in "\(task.rule.name): waiting, \(error.cause)" }
        case .ruleFinished, .reclaimFinished, .remarked: clear()
        case .confirmationTaken, .ruleStarted: break
        }
    }

    /// Clears the line for the output that follows.
    func clear() {
        state.withLock { state in
            guard state.isShown else { return }
            StandardStream.error.writeIfPossible("\r\u{1B}[K")
            state.isShown = false
        }
    }

    /// `text` gets the number of columns.
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
