import FoundationEssentials
import Pruning
import Retention
import Synchronization

/// What was said of each rule last, so that a trouble that lasts is announced once and not at every tick.
final class RepeatFilter: Sendable {
    private struct Topic: Hashable {
        let rule: Name
        let subject: String
    }

    private let said = Mutex<[Topic: (state: String, at: Date)]>([:])
    private let now: @Sendable () -> Date
    /// What was said of holds.
    let holds: HoldRepeatFilter

    /// Takes over what was said of `holds` before the program was started.
    init(_ holds: [Name: Hold] = [:], now: @escaping @Sendable () -> Date = { SystemTime.now }) {
        self.holds = HoldRepeatFilter(holds, now: now)
        self.now = now
    }

    /// Whether `state` differs from what was last said of this subject, or that was longer ago than `interval`; then it
    /// is what was said.
    func isNew(
        _ rule: Name, _ subject: String, _ state: String, again interval: TimeInterval = .infinity
    ) -> Bool {
        let now = now()
        return said.withLock { said in
            let topic = Topic(rule: rule, subject: subject)
            // The clock may have been set back meanwhile.
            if let last = said[topic], last.state == state, abs(now.timeIntervalSince(last.at)) < interval {
                return false
            }
            said[topic] = (state, now)
            return true
        }
    }
}
