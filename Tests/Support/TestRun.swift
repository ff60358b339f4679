import Foundation
import Pruning
import Retention

/// The real monotonic clock.
package let systemMonotonic: @Sendable () -> Duration = { .nanoseconds(MonotonicClock.nanoseconds) }

/// 2026-11-20T12:00:00Z, the start of the runs in most tests.
package let runStart = Date(timeIntervalSince1970: 1_795_176_000)

extension HoldLimits {
    /// The limits of a rule that is never held, for tests of other things.
    package static let noneAtAll = HoldLimits(maxShare: 1, minRows: 0)
}

extension PruneRun {
    /// Runs `rules` on real stores with the real monotonic clock, as if at `start`, and returns the report.
    package static func report(
        _ rules: [RetentionRule], on stores: [any PrunableStore], at start: Date = runStart,
        timeZone: Zone = .gmt, dryRun: Bool = false, patience: Duration = .milliseconds(200),
        longestRelief: Duration = .seconds(60),
        accessPath: AccessPath? = nil, memory: GuardMemory = .none,
        holds: (any ConfirmationMemory)? = nil,
        control: RunControl = RunControl(monotonic: systemMonotonic),
        _ emit: @escaping @Sendable (PruneEvent) -> Void = { _ in }
    ) -> PruneReport {
        var generator = SystemRandomNumberGenerator()
        var settings = RunSettings(
            dryRun: dryRun, patience: patience, accessPath: accessPath, memory: memory,
            monotonic: systemMonotonic)
        (settings.holds, settings.longestRelief) = (holds, longestRelief)
        return PruneRun(
            id: RunID(start: start, using: &generator), startedAt: start, rules: rules, timeZone: timeZone,
            stores: Dictionary(uniqueKeysWithValues: stores.map { ($0.definition.name, $0) }),
            settings: settings, control: control
        ).execute(emit)
    }
}
