import Retention

/// Whether a store can be pruned. One that does not exist yet can.
package struct StoreFit: Codable, Sendable {
    /// Why it cannot be read or written.
    package var access: StoreError?
    /// Why rules cannot be applied to it.
    package var misfits: [Name: StoreError] = [:]
    /// How large it is, and its archive if there is one; nil when not asked for.
    package var store, archive: StoreStatus.Look?

    package init() {}

    /// Asks the store. With `archive` it looks at the sizes of both, too.
    package init(
        of store: any PrunableStore, measuredWith archive: (any PrunableStore)?, _ rules: [RetentionRule],
        _ control: RunControl
    ) {
        if let archive {
            self.store = StoreStatus.Look(at: store, control)
            self.archive = archive.exists() ? StoreStatus.Look(at: archive, control) : nil
        }
        guard store.exists() else { return }
        do throws(StoreError) { try store.checkAccess() } catch { access = error }
        for rule in rules {
            do throws(StoreError) {
                let view = try store.openView(control)
                defer { view.close() }
                try view.validate(rule)
            } catch {
                misfits[rule.name] = error
            }
        }
    }

    /// A store that could not be asked.
    package init(of rules: [RetentionRule], lost error: StoreError) {
        access = error
        misfits = Dictionary(uniqueKeysWithValues: rules.map { ($0.name, error) })
    }

    /// The same in texts that may be shown, of these rules alone.
    package func cleaned(of rules: [RetentionRule]) -> StoreFit {
        var fit = StoreFit()
        fit.access = access?.cleaned
        for rule in rules { fit.misfits[rule.name] = misfits[rule.name]?.cleaned }
        (fit.store, fit.archive) = (store, archive)
        return fit
    }
}
