import Retention

/// The lock time of a write transaction: its target and its limits.
package struct LockTime: Equatable, Sendable {
    /// The longest lock time that a batch should have. The batch size is chosen to meet it.
    package let usual: Duration

    package init(_ usual: Duration = RetentionPolicy.defaultLockTime) {
        self.usual = usual
    }

    /// A batch that takes this many times ``usual`` was not just estimated badly: each of its rows reads a whole table,
    /// or a trigger does not end.
    static let excess = 10

    /// The longest that the statements of a batch may take. After that they are interrupted and rolled back.
    package var longest: Duration { usual * Self.excess }

    /// A transaction that cannot be interrupted ends its worker process after this time. That is long enough for a slow
    /// machine.
    var unbearable: Duration { max(.seconds(2), min(usual * 100, .seconds(10)), longest) }
}
