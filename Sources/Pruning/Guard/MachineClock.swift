import FoundationEssentials

/// The clocks of the machine, and what the kernel says of them.
package struct MachineClock: Sendable {
    /// The wall clock.
    package var now: @Sendable () -> Date
    /// The time since the machine was started, sleep included.
    package var sinceBoot: @Sendable () -> Duration
    /// Whether a time server keeps the kernel's clock right, and that clock is the one that has just said this.
    package var isSynchronised: @Sendable (Date) -> Bool
    /// Another one each time the machine is started; nil where that cannot be asked.
    package var bootID: String?

    /// See the properties.
    package init(
        now: @escaping @Sendable () -> Date, sinceBoot: @escaping @Sendable () -> Duration,
        isSynchronised: @escaping @Sendable (Date) -> Bool, bootID: String?
    ) {
        self.now = now
        self.sinceBoot = sinceBoot
        self.isSynchronised = isSynchronised
        self.bootID = bootID
    }
}
