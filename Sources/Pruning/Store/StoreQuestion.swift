import FoundationEssentials
import Retention

/// What a worker process is asked of a store, besides a run.
package enum StoreQuestion: Codable, Sendable {
    /// The newest times in the tables of these rules up to a date: evidence on the clock.
    case newestTimes(of: [RetentionRule], notAfter: Date)
    /// Whether the store can be pruned, and whether these rules fit it.
    case fit(of: [RetentionRule])

    /// The answer of `store`.
    package func answer(of store: any PrunableStore, _ control: RunControl) -> StoreAnswer {
        switch self {
        case .newestTimes(let rules, let date):
            let answers = rules.compactMap { rule -> [Date]? in
                guard store.exists(), let view = try? store.openView(control) else { return nil }
                defer { view.close() }
                return try? view.newestTimes(ClockEvidence.strays + 1, of: rule, notAfter: date)
            }
            return .times(answers.isEmpty ? nil : answers.flatMap(\.self))
        case .fit(let rules):
            guard store.exists() else { return .fit(StoreFit()) }
            var fit = StoreFit()
            do throws(StoreError) { try store.checkAccess() } catch { fit.access = error }
            for rule in rules {
                do throws(StoreError) {
                    let view = try store.openView(control)
                    defer { view.close() }
                    try view.validate(rule)
                } catch {
                    fit.misfits[rule.name] = error
                }
            }
            return .fit(fit)
        }
    }
}

/// What a store answers.
package enum StoreAnswer: Codable, Sendable {
    /// Nil if none of the tables could tell.
    case times([Date]?)
    case fit(StoreFit)
    /// Of an archive. `isEmpty` says that it has nothing else.
    case leases(LeasesElsewhere, isEmpty: Bool)
}

/// Whether a store can be pruned. One that does not exist yet can.
package struct StoreFit: Codable, Sendable {
    /// Why it cannot be read or written.
    package var access: StoreError?
    /// Why rules cannot be applied to it.
    package var misfits: [Name: StoreError] = [:]

    package init() {}

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
        return fit
    }
}
