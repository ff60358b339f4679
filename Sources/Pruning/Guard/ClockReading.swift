import FoundationEssentials
import Retention

/// The wall clock's time, with the time since boot at the same instant.
package struct ClockReading: Codable, Equatable, Sendable {
    package let date: Date
    package let sinceBoot: Duration
    package let bootID: String?

    package init(date: Date, sinceBoot: Duration, bootID: String?) {
        self.date = date
        self.sinceBoot = sinceBoot
        self.bootID = bootID
    }

    /// This reading as evidence about `later`, which is read now.
    func asEvidence(for later: ClockReading) -> ClockEvidence.Reading {
        let elapsed = isOfSameBoot(as: later) ? (later.sinceBoot - sinceBoot).seconds : nil
        return ClockEvidence.Reading(date: date, elapsed: elapsed)
    }

    /// The reading to remember after this one was believed. Unless the clock is synchronised, that is the last believed
    /// date plus the elapsed time. Otherwise the clock could drift in steps that are each small enough to be tolerated.
    func corrected(by evidence: ClockEvidence) -> ClockReading {
        guard !evidence.isSynchronised, let last = evidence.lastBelieved, let elapsed = last.elapsed else {
            return self
        }
        return ClockReading(
            date: last.date.addingTimeInterval(elapsed), sinceBoot: sinceBoot, bootID: bootID)
    }

    /// Whether the machine stayed on from this reading to `later`.
    ///
    /// Without boot ids, this assumes it did unless the time since boot went down. That may doubt a clock that is
    /// right, but never believes one that is wrong.
    func isOfSameBoot(as later: ClockReading) -> Bool {
        if let bootID, let other = later.bootID, bootID != other { return false }
        return later.sinceBoot >= sinceBoot
    }
}

/// The clocks of the machine, and what the kernel reports about them.
package struct MachineClock: Sendable {
    /// The wall clock.
    package var now: @Sendable () -> Date
    /// The time since boot, including sleep.
    package var sinceBoot: @Sendable () -> Duration
    /// Whether a time server synchronises the kernel's clock, and the given date came from that clock.
    package var isSynchronised: @Sendable (Date) -> Bool
    /// Identifies the current boot; nil where it cannot be read.
    package var bootID: String?

    package init(
        now: @escaping @Sendable () -> Date, sinceBoot: @escaping @Sendable () -> Duration,
        isSynchronised: @escaping @Sendable (Date) -> Bool, bootID: String?
    ) {
        self.now = now
        self.sinceBoot = sinceBoot
        self.isSynchronised = isSynchronised
        self.bootID = bootID
    }

    /// Whether the clock was set back since `start`, asked during a run. If so, it was ahead when the run fixed its
    /// cutoffs. A clock that was set forward since does not affect them.
    func wentBack(since start: ClockReading) -> ClockDoubt? {
        let now = now()
        let due = start.date.addingTimeInterval((sinceBoot() - start.sinceBoot).seconds)
        return now < due.addingTimeInterval(-ClockEvidence.tolerance) ? .setBack(from: due, to: now) : nil
    }
}
