import FoundationEssentials

/// When a rule is due.
package enum RunSchedule {
    /// If the last run is later than now by more than this, it was recorded by a clock that was ahead.
    package static let tolerance: TimeInterval = 60

    /// When a rule is due: `every` after its last run, or now if it never ran or is overdue.
    ///
    /// A last run in the future was recorded by a wrong clock and is ignored. Otherwise the rule would not run until
    /// that day.
    package static func due(
        every: Span, lastRun: Date?, now: Date, in timeZone: Zone
    ) -> Date {
        guard let lastRun, lastRun <= now.addingTimeInterval(tolerance) else { return now }
        return max(now, every.after(lastRun, in: timeZone))
    }

    /// How late a run may start, so that the kernel can wake the machine once for several timers: a tenth of the
    /// interval, at most a minute.
    package static func leeway(every: Span) -> TimeInterval {
        min(60, every.approximateSeconds / 10)
    }
}
