import Retention
import Synchronization

/// The rules that were bound a moment ago, so that the questions of one run need not each read the catalog again.
///
/// Only looking uses them. A deletion binds its rule itself, and compares the catalog in each batch.
final class RecentlyBound: Sendable {
    private let known = Mutex<[RetentionRule: (bound: BoundRule, at: Duration)]>([:])

    /// Nil if the rule was not bound within the last seconds before `now`.
    func bound(_ rule: RetentionRule, at now: Duration) -> BoundRule? {
        known.withLock { known in
            guard let found = known[rule], now - found.at < Self.validity else { return nil }
            return found.bound
        }
    }

    func note(_ bound: BoundRule, at now: Duration) {
        known.withLock { known in
            known = known.filter { now - $0.value.at < Self.validity }
            known[bound.rule] = (bound, now)
        }
    }

    private static let validity = Duration.seconds(3)
}
