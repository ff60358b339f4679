import Retention
import Synchronization

/// The rules that were bound a moment ago, so that the questions of one run need not each read the catalog again.
///
/// Only looking uses them. A deletion binds its rule itself, and compares the catalog in each batch.
package final class RecentlyBound<Bound: Sendable>: Sendable {
    private let known = Mutex<[RetentionRule: (bound: Bound, at: Duration)]>([:])

    package init() {}

    /// Nil if the rule was not bound within the last seconds before `now`.
    package func bound(_ rule: RetentionRule, at now: Duration) -> Bound? {
        known.withLock { known in
            guard let found = known[rule], now - found.at < Self.validity else { return nil }
            return found.bound
        }
    }

    package func note(_ bound: Bound, as rule: RetentionRule, at now: Duration) {
        known.withLock { known in
            known = known.filter { now - $0.value.at < Self.validity }
            known[rule] = (bound, now)
        }
    }

    private static var validity: Duration { .seconds(3) }
}
