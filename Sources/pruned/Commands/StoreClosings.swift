import FoundationEssentials
import Pruning
import Retention

/// Here, as it looks at the stores; the text alone belongs to the rendering.
extension StoreClosing {
    /// One for each store of which the run changed rows, if it can be looked at. `sizes` are those before the run.
    static func all(
        of report: PruneReport, on stores: StoreSet, _ sizes: [Name: Int64], _ policy: RetentionPolicy,
        control: RunControl
    ) -> [StoreClosing] {
        let changed = report.rules.filter { $0.deleted > 0 }
        let names = Set(changed.map(\.store))
        // The table of the report has their sums.
        guard ScreenLength(ofStores: names.count, all: false).isWhole else { return [] }
        let works = names.map { ($0, StoreJob.Work.fit(of: [], isMeasured: true)) }
        let fits = stores.answers(
            to: Dictionary(uniqueKeysWithValues: works), control, as: StoreFit.self)
        return names.sorted().compactMap { name in
            guard let store = stores.byName[name],
                let space = fits[name]?.store.flatMap({ StoreStatus(of: store.definition, $0).space })
            else { return nil }
            let rules = changed.filter { $0.store == name }
            let ends = rules.map { rule in
                policy.rule(named: rule.rule)?.archiveKeep?.after(report.startedAt, in: policy.timeZone)
            }
            return StoreClosing(
                name: (name.family == nil ? store.definition.file?.lastName : nil) ?? name.description,
                space: space,
                changed: ChangedRows(rules) { $0.deleted + $0.dependentsDeleted }, bytesBefore: sizes[name],
                restorableUntil: ends.contains(nil) ? nil : ends.compactMap(\.self).min(),
                timeZone: policy.timeZone)
        }
    }
}
