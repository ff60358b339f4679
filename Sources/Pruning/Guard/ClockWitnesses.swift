import FoundationEssentials
import Retention

/// What the stores know of the time: how new their newest rows are.
package struct ClockWitnesses {
    private let rules: [RetentionRule]
    private let stores: [Name: any PrunableStore]
    private let control: RunControl

    /// The rows of `rules`, whichever of them are to run: a table of which nothing is known yet says nothing for the
    /// others.
    package init(rules: [RetentionRule], stores: [Name: any PrunableStore], control: RunControl) {
        self.rules = rules
        self.stores = stores
        self.control = control
    }

    /// The newest times; nil when there is no store that could tell. What lies ahead of the clock, which says `now`, says
    /// nothing for it. A store that cannot be read says so itself when its rules run; one whose reading does not end would
    /// end the process here, and nothing would run at all: rules that `failed` are not asked.
    func newestTimes(notAfter now: Date, failed: Set<String>) -> [Date]? {
        let answers = rules.compactMap { rule -> [Date]? in
            guard !failed.contains(rule.name.description), let store = stores[rule.store], store.exists(),
                let view = try? store.openView(control)
            else { return nil }
            defer { view.close() }
            return try? view.newestTimes(ClockEvidence.strays + 1, of: rule, notAfter: now)
        }
        return answers.isEmpty ? nil : answers.flatMap(\.self)
    }
}

extension ClockGuard {
    /// Why a run that begins at `now`, which the clock has just said, would not believe it; nil when it would.
    package func doubt(of now: Date, _ witnesses: ClockWitnesses) -> ClockDoubt? {
        doubt(of: now) { witnesses.newestTimes(notAfter: now, failed: failedRules()) }
    }
}
