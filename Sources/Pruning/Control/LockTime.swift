import Retention

/// For how long a write transaction keeps the lock.
package struct LockTime: Equatable, Sendable {
    /// The longest that a batch should keep it, which is what its size follows.
    package let usual: Duration

    /// A batch that should take no longer than `usual`.
    package init(_ usual: Duration = RetentionPolicy.defaultLockTime) {
        self.usual = usual
    }

    /// So many times ``usual`` is out of all proportion: no estimate is as wrong as that. Each row reads a whole table
    /// there, or a trigger does not end.
    static let excess = 10

    /// The longest that the statements of a batch may take. Then they are ended, and undone.
    package var longest: Duration { usual * Self.excess }

    /// After so long a transaction that cannot be ended costs the process: long enough that a slow machine does not, and
    /// shorter than a watchdog waits.
    var unbearable: Duration { max(.seconds(2), min(usual * 100, .seconds(10)), longest) }
}
