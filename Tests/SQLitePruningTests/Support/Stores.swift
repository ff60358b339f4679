import Foundation
import Pruning
import Retention
import SQLitePruning
import TestSupport

extension TemporaryStore {
    /// The file as the store `s` of a policy.
    var store: SQLiteStore { SQLiteStore.test(at: path) }

    /// One run of `rules` on the store.
    func prune(
        _ rules: RetentionRule..., at start: Date = runStart, dryRun: Bool = false,
        patience: Duration = .milliseconds(200), accessPath: AccessPath? = nil,
        _ emit: @escaping @Sendable (PruneEvent) -> Void = { _ in }
    ) -> PruneReport {
        PruneRun.report(
            rules, on: [store], at: start, dryRun: dryRun, patience: patience, accessPath: accessPath, emit)
    }

    /// What a run of one rule reports of it.
    func outcome(
        _ rule: RetentionRule = .old(), dryRun: Bool = false, accessPath: AccessPath? = nil
    ) -> RuleReport {
        prune(rule, dryRun: dryRun, accessPath: accessPath).rules[0]
    }
}

extension SQLiteStore {
    /// The file at `path` as the store `s` of a policy.
    static func test(at path: String, holder: String = "a test") -> SQLiteStore {
        SQLiteStore(
            StoreDefinition(name: "s", path: path), path: path, holder: holder, monotonic: systemMonotonic)
    }
}

extension RetentionRule {
    /// Rows of `table` go 30 days after `column`.
    static func old(
        _ table: String = "t", _ column: String = "at", name: Name = "old", unit: TimeUnit = .seconds,
        dependents: Set<String> = [], keptBy: ColumnReference? = nil
    ) -> RetentionRule {
        RetentionRule(
            name: name, store: "s", table: table, expiry: .age(column: column, keep: Span(30, .day)),
            time: TimeFormat(unit), dependents: dependents, keptBy: keptBy.map { [$0] } ?? [],
            holdLimits: .noneAtAll)
    }
}

/// The first second that a rule of 30 days keeps, in a run at `runStart` in UTC.
let cutoff: Int64 = 1_795_176_000 - 30 * 86_400
/// A second that is expired.
let old = cutoff - 1
/// A second that is not.
let fresh = cutoff + 86_400

/// A control that nobody stops.
func freeControl() -> RunControl { RunControl(monotonic: systemMonotonic) }

extension WorkerContext {
    /// The same where nobody asks which rows they are.
    func begin(
        _ task: PruneTask, accessPath: AccessPath?
    ) throws(StoreError) -> (census: Census, accessPath: AccessPath) {
        let begun = try begin(task, accessPath: accessPath, tellsRows: false)
        return (begun.census, begun.accessPath)
    }
}
