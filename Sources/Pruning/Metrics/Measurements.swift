import FoundationEssentials
import Glibc
import Retention

/// Figures about a run that its report does not contain.
package struct Measurements: Equatable, Sendable {
    /// The size of a store's file.
    package struct Size: Equatable, Sendable {
        /// The total and the free bytes; nil where they could not be read.
        package let bytes: Int64?, freeBytes: Int64?

        package init(bytes: Int64?, freeBytes: Int64?) {
            self.bytes = bytes
            self.freeBytes = freeBytes
        }
    }

    /// The lock times of the run's batches, by store.
    package private(set) var lockTimes: [Name: DurationHistogram] = [:]
    /// For each rule that did not complete its run: how long ago its oldest expired row still present expired. A
    /// completed rule leaves no such row.
    package private(set) var backlogSeconds: [Name: Double] = [:]
    package private(set) var sizes: [Name: Size] = [:]
    /// The bytes of each store's archive that count towards its limit: its file without the free pages. Without those that
    /// could not be read.
    package private(set) var archiveBytes: [Name: Int64] = [:]

    package init(
        lockTimes: [Name: DurationHistogram] = [:], sizes: [Name: Size] = [:],
        archiveBytes: [Name: Int64] = [:]
    ) {
        self.lockTimes = lockTimes
        self.sizes = sizes
        self.archiveBytes = archiveBytes
    }

    /// Takes the lock times from `batches`, and what the stores that `report` names tell, each asked about its rules that did
    /// not complete.
    package init(
        of report: PruneReport, _ batches: BatchLockTimes, by policy: RetentionPolicy,
        asking ask: ([Name: [PruneTask]]) -> [Name: StoreMeasures]
    ) {
        lockTimes = batches.byStore
        let tasks = Dictionary(grouping: report.rules, by: \.store).mapValues { reports in
            reports.filter { $0.outcome != .done && $0.failure?.kind != .clock }
                .compactMap { policy.rule(named: $0.rule) }
                .map { PruneTask($0, start: report.startedAt, in: policy.timeZone) }
        }
        for (name, told) in ask(tasks) {
            let measures = told.cleaned(of: tasks[name] ?? [])
            sizes[name] = Size(bytes: measures.bytes, freeBytes: measures.freeBytes)
            archiveBytes[name] = measures.archiveBytes
            backlogSeconds.merge(measures.backlogSeconds) { $1 }
        }
    }
}
