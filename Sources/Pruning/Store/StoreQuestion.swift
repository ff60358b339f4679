import FoundationEssentials
import Retention

/// What a worker process is asked of a store, besides a run.
package enum StoreQuestion: Codable, Sendable {
    /// The newest times in the tables of these rules up to a date: evidence on the clock.
    case newestTimes(of: [RetentionRule], notAfter: Date)
    /// Whether the store can be pruned, and whether these rules fit it.
    case fit(of: [RetentionRule])
    /// The same, with how large the store and its archive are.
    case status(of: [RetentionRule])
    /// Figures for the metrics, with how far behind these tasks are.
    case measures(of: [PruneTask])

    /// The answer of `store`.
    package func answer(
        of store: any PrunableStore, archive: any PrunableStore, _ control: RunControl
    ) -> StoreAnswer {
        switch self {
        case .newestTimes(let rules, let date):
            let answers = rules.compactMap { rule -> [Date]? in
                guard store.exists(), let view = try? store.openView(control) else { return nil }
                defer { view.close() }
                return try? view.newestTimes(ClockEvidence.strays + 1, of: rule, notAfter: date)
            }
            return .times(answers.isEmpty ? nil : answers.flatMap(\.self))
        case .fit(let rules): return .fit(StoreFit(of: store, rules, control))
        case .status(let rules):
            var fit = StoreFit(of: store, rules, control)
            fit.store = StoreStatus.Look(at: store, control)
            fit.archive = archive.exists() ? StoreStatus.Look(at: archive, control) : nil
            return .fit(fit)
        case .measures(let tasks):
            return .measures(StoreMeasures(of: store, archive: archive, tasks, control))
        }
    }
}

/// What a store answers.
package enum StoreAnswer: Codable, Sendable {
    /// Nil if none of the tables could tell.
    case times([Date]?)
    case fit(StoreFit)
    case measures(StoreMeasures)
}

/// Whether a store can be pruned. One that does not exist yet can.
package struct StoreFit: Codable, Sendable {
    /// Why it cannot be read or written.
    package var access: StoreError?
    /// Why rules cannot be applied to it.
    package var misfits: [Name: StoreError] = [:]
    /// How large it is, and its archive if there is one; nil when not asked for.
    package var store, archive: StoreStatus.Look?

    package init() {}

    /// Asks the store.
    init(of store: any PrunableStore, _ rules: [RetentionRule], _ control: RunControl) {
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
