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

    /// When the service runs `rule` next. A rule with hours runs only in these. Its interval is full once it has come to
    /// hours that opened after the last run, wherever in its own hours that run began: a daily rule runs every night.
    package static func due(of rule: RetentionRule, lastRun: Date?, now: Date, in timeZone: Zone) -> Date {
        let due = due(every: rule.every, lastRun: lastRun, now: now, in: timeZone)
        guard let hours = rule.between else { return due }
        let opened = hours.lastOpening(by: due, in: timeZone)
        let first = lastRun.map { $0 < opened } ?? false ? max(now, opened) : due
        return max(first, hours.period(at: first, in: timeZone).opens)
    }

    /// When a rule goes on that ended in a run begun at `start`, because it met the end of its hours or its longest run
    /// at `end`: after its interval, and at the latest in its next hours.
    package static func turn(
        of rule: RetentionRule, after start: Date, until end: Date, in timeZone: Zone
    ) -> Date {
        let due = due(of: rule, lastRun: start, now: end, in: timeZone)
        guard let hours = rule.between else { return due }
        let period = hours.period(at: end, in: timeZone)
        let isOpen = period.opens <= end
        return min(due, isOpen ? hours.period(at: period.closes, in: timeZone).opens : period.opens)
    }

    /// How late a run may start, so that the kernel can wake the machine once for several timers: a tenth of the
    /// interval, at most a minute.
    package static func leeway(every: Span) -> TimeInterval {
        min(60, every.approximateSeconds / 10)
    }
}
