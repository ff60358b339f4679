import FoundationEssentials
import Glibc
import Retention

/// Figures of a store, for the metrics. What cannot be read is left out: the run has already reported why.
package struct StoreMeasures: Codable, Equatable, Sendable {
    /// The size of its file, and the free bytes in it.
    package private(set) var bytes: Int64?, freeBytes: Int64?
    /// The bytes of its archive that count towards the limit: its file without the free pages.
    package private(set) var archiveBytes: Int64?
    /// By rule, how long ago its oldest expired row still present expired.
    package private(set) var backlogSeconds: [Name: Double] = [:]

    /// Reads the sizes, and for `tasks` the table or its index on time, as a plan does.
    package init(
        of store: any PrunableStore, archive: any PrunableStore, _ tasks: [PruneTask], _ control: RunControl
    ) {
        archiveBytes = archive.exists() ? Self.bytesTaken(in: archive, control) : 0
        guard store.exists() else { return }
        bytes = store.diskBytes()
        guard let view = try? store.openView(control) else { return }
        defer { view.close() }
        freeBytes = (try? view.freeSpace())?.freeBytes
        for task in tasks {
            guard let ages = try? view.ages(of: task) else { continue }
            backlogSeconds[task.rule.name] =
                ages.oldestExpired.map { task.cutoff.timeIntervalSince($0) } ?? 0
        }
    }

    private static func bytesTaken(in store: any PrunableStore, _ control: RunControl) -> Int64? {
        let view = try? store.openView(control)
        defer { view?.close() }
        return view.flatMap { try? $0.freeSpace() }.map { $0.bytes - $0.freeBytes }
    }

    /// The same of these tasks alone, without numbers that are none.
    func cleaned(of tasks: [PruneTask]) -> StoreMeasures {
        var measures = self
        func count(_ number: Int64?) -> Int64? { number.flatMap { $0.isCount ? $0 : nil } }
        (measures.bytes, measures.freeBytes) = (count(bytes), count(freeBytes))
        measures.archiveBytes = count(archiveBytes)
        let asked = Set(tasks.map(\.rule.name))
        measures.backlogSeconds = backlogSeconds.filter { asked.contains($0.key) && $0.value.isFinite }
        return measures
    }
}
