import Foundation
import Pruning
import Retention
import Synchronization

/// What was said of each rule last, so that a trouble that lasts is announced once and not at every tick.
final class News: Sendable {
    private struct Topic: Hashable {
        let rule: Name
        let subject: String
    }

    private let said = Mutex<[Topic: (state: String, at: Date)]>([:])
    private let now: @Sendable () -> Date

    init(now: @escaping @Sendable () -> Date = { SystemTime.now }) {
        self.now = now
    }

    /// Whether `state` differs from what was last said of this subject, or that was longer ago than `interval`; then it
    /// is what was said.
    func isNews(
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

    /// Takes over what another process said, before this one was started.
    func recall(_ rule: Name, _ subject: String, _ state: String, at date: Date) {
        said.withLock { $0[Topic(rule: rule, subject: subject)] = (state, date) }
    }

    /// What was last said of this subject is over.
    func forget(_ rule: Name, _ subject: String) {
        said.withLock { $0[Topic(rule: rule, subject: subject)] = nil }
    }

    /// When something was last said of this subject.
    func lastSaid(_ rule: Name, _ subject: String) -> Date? {
        said.withLock { $0[Topic(rule: rule, subject: subject)]?.at }
    }
}
