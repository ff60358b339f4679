import FoundationEssentials
import Pruning
import Retention
import TerminalText

/// What a run came to for one store, in a line that a person can show to another.
struct StoreClosing: CustomStringConvertible {
    /// The name of the file, or of the store if it is no file.
    let name: String
    /// The size after the run.
    let space: FreeSpace
    let changed: ChangedRows
    /// By how much the run made the file smaller.
    let reclaimedBytes: Int64
    /// Until when all of the rows can be put back; nil if some were not archived.
    let restorableUntil: Date?
    let timeZone: Zone

    /// Such as "app.db: 41.2 MB, 12.0 MB of it free; 2,834 rows deleted, restorable until 2026-12-25".
    var description: String {
        let before = reclaimedBytes > 0 ? " (\((space.bytes + reclaimedBytes).bytes) before)" : ""
        let free = space.freeBytes > 0 ? ", \(space.freeBytes.bytes) of it free" : ""
        let end = restorableUntil.map { ", restorable until \($0.local(in: timeZone).prefix(10))" } ?? ""
        return "\(name): \(space.bytes.bytes)\(before)\(free); \(changed.participle)\(end)"
    }

    /// One for each store of which the run changed rows, if it can be looked at.
    static func all(
        of report: PruneReport, on stores: StoreSet, _ policy: RetentionPolicy, control: RunControl
    ) -> [StoreClosing] {
        let changed = report.rules.filter { $0.deleted > 0 }
        return Set(changed.map(\.store)).sorted().compactMap { name in
            guard let store = stores.byName[name], let view = try? store.openView(control) else { return nil }
            defer { view.close() }
            guard let space = try? view.size() else { return nil }
            let rules = changed.filter { $0.store == name }
            let ends = rules.map { rule in
                policy.rule(named: rule.rule)?.archiveKeep?.after(report.startedAt, in: policy.timeZone)
            }
            let reclaimed = report.reclaims.first { $0.store == name }?.reclaimedBytes ?? 0
            return StoreClosing(
                name: store.definition.file?.lastName ?? name.description, space: space,
                changed: ChangedRows(rules) { $0.deleted + $0.dependentsDeleted }, reclaimedBytes: reclaimed,
                restorableUntil: ends.contains(nil) ? nil : ends.compactMap(\.self).min(),
                timeZone: policy.timeZone)
        }
    }
}
