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

    /// Takes the lock times from `batches`. Reads the sizes of those `stores` that `report` names, and of their
    /// archives. What cannot be read is left out: the run has already reported why.
    ///
    /// For a rule that did not complete, reads its table or its index on time, as a plan does. Reports progress to
    /// `control`.
    package init(
        of report: PruneReport, _ batches: BatchLockTimes, by policy: RetentionPolicy,
        on stores: [Name: any PrunableStore], archives: (Name) -> any PrunableStore, control: RunControl
    ) {
        lockTimes = batches.byStore
        for (name, reports) in Dictionary(grouping: report.rules, by: \.store) {
            guard let store = stores[name] else { continue }
            let archive = archives(name)
            archiveBytes[name] = archive.exists() ? Self.bytesTaken(in: archive, control) : 0
            guard store.exists() else { continue }
            let view = try? store.openView(control)
            defer { view?.close() }
            let space = view.flatMap { try? $0.freeSpace() }
            sizes[name] = Size(
                bytes: store.diskBytes(), freeBytes: space.map { $0.freeBytes })
            for rule in reports where rule.outcome != .done && rule.failure?.kind != .clock {
                guard let view, let text = policy.rule(named: rule.rule) else { continue }
                let task = PruneTask(text, start: report.startedAt, in: policy.timeZone)
                guard let ages = try? view.ages(of: task) else { continue }
                backlogSeconds[rule.rule] = ages.oldestExpired.map { task.cutoff.timeIntervalSince($0) } ?? 0
            }
        }
    }

    private static func bytesTaken(in store: any PrunableStore, _ control: RunControl) -> Int64? {
        let view = try? store.openView(control)
        defer { view?.close() }
        return view.flatMap { try? $0.freeSpace() }.map { $0.bytes - $0.freeBytes }
    }
}
