import Pruning
import Retention
import Synchronization

/// What was said of each rule last, so that a trouble that lasts is announced once and not at every tick.
final class News: Sendable {
    private struct Topic: Hashable {
        let rule: Name
        let subject: String
    }

    private let said = Mutex<[Topic: String]>([:])

    /// Whether `state` differs from what was last said of this subject; then it is what was said.
    func isNews(_ rule: Name, _ subject: String, _ state: String) -> Bool {
        said.withLock { said in
            let topic = Topic(rule: rule, subject: subject)
            defer { said[topic] = state }
            return said[topic] != state
        }
    }
}
