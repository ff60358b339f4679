import FoundationEssentials

/// When a rule is due.
package enum RunSchedule {
    /// A clock reading this far ahead of now was taken by a clock that has since been set back.
    package static let tolerance: TimeInterval = 60

    /// The instant at which a rule is due: `every` after the last run, now if it never ran or is overdue.
    ///
    /// A last run in the future was recorded by a wrong clock and counts as none: else the rule would rest until
    /// that day.
    package static func due(
        every: Span, lastRun: Date?, now: Date, in timeZone: Zone
    ) -> Date {
        guard let lastRun, lastRun <= now.addingTimeInterval(tolerance) else { return now }
        return max(now, every.after(lastRun, in: timeZone))
    }

    /// How late a run may start so that the kernel can wake the machine for several timers at once: a tenth of
    /// the interval, at most a minute.
    package static func leeway(every: Span) -> TimeInterval {
        min(60, every.approximateSeconds / 10)
    }
}
