import FoundationEssentials
import Retention

/// What the clock said, and when that was by the time since the machine was started.
package struct ClockReading: Equatable, Sendable {
    package let date: Date
    package let sinceBoot: Duration
    package let bootID: String?

    package init(date: Date, sinceBoot: Duration, bootID: String?) {
        self.date = date
        self.sinceBoot = sinceBoot
        self.bootID = bootID
    }

    /// This reading as evidence for `later`, one that is made now.
    func asEvidence(for later: ClockReading) -> ClockEvidence.Reading {
        let elapsed = isOfSameBoot(as: later) ? (later.sinceBoot - sinceBoot).seconds : nil
        return ClockEvidence.Reading(date: date, elapsed: elapsed)
    }

    /// What is remembered of this reading, which was believed. Where nobody vouches for it, that is what the clock should
    /// say by the time that has passed: else it might go astray in steps, each of them small enough to be borne.
    func corrected(by evidence: ClockEvidence) -> ClockReading {
        guard !evidence.isSynchronised, let last = evidence.lastBelieved, let elapsed = last.elapsed else {
            return self
        }
        return ClockReading(
            date: last.date.addingTimeInterval(elapsed), sinceBoot: sinceBoot, bootID: bootID)
    }

    /// Whether the machine stayed on until `later`.
    ///
    /// Where no boot can be told from another, it did unless less time has passed since the last one: that may doubt a
    /// clock that is right, and believes none that is wrong.
    func isOfSameBoot(as later: ClockReading) -> Bool {
        if let bootID, let other = later.bootID, bootID != other { return false }
        return later.sinceBoot >= sinceBoot
    }
}

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
