import FoundationEssentials
import Glibc
import Retention

/// What the report of a run does not tell of it.
package struct Measurements: Equatable, Sendable {
    /// The size of a store's file.
    package struct Size: Equatable, Sendable {
        /// All of it, and what of it is free; nil where that cannot be told.
        package let bytes: Int64?, freeBytes: Int64?

        /// See the properties.
        package init(bytes: Int64?, freeBytes: Int64?) {
            self.bytes = bytes
            self.freeBytes = freeBytes
        }
    }

    /// How long its batches kept the write lock, by store.
    package private(set) var lockTimes: [Name: DurationHistogram] = [:]
    /// For how long the oldest row that is expired and still there has been so, by rules that have not run to their
    /// end. One that has leaves none.
    package private(set) var backlogSeconds: [Name: Double] = [:]
    /// By store.
    package private(set) var sizes: [Name: Size] = [:]
    /// How much of its limit the archive takes: all but what is free in its file. Nil where that cannot be told.
    package private(set) var archiveBytes: Int64?

    /// What was measured otherwise; see the properties.
    package init(
        lockTimes: [Name: DurationHistogram] = [:], sizes: [Name: Size] = [:], archiveBytes: Int64? = nil
    ) {
        self.lockTimes = lockTimes
        self.sizes = sizes
        self.archiveBytes = archiveBytes
    }

    /// Takes what `batches` recorded, and looks at the stores that `report` tells of, among `stores`, and at the archive.
    /// What cannot be read is left out: why, the run has said.
    ///
    /// Reads the table of a rule that has not run to its end, or its index on time, as a plan does; `control` is told
    /// of progress.
    package init(
        of report: PruneReport, _ batches: BatchLockTimes, by policy: RetentionPolicy,
        on stores: [Name: any PrunableStore], archive: any PrunableStore, control: RunControl
    ) {
        lockTimes = batches.byStore
        archiveBytes = archive.exists() ? Self.bytesTaken(in: archive, control) : 0
        for (name, reports) in Dictionary(grouping: report.rules, by: \.store) {
            guard let store = stores[name], store.exists() else { continue }
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
