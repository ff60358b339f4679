import FoundationEssentials
import Retention

/// When each rule last ran to its end, and what it said then, kept in the state directory: so that a restart neither
/// repeats a run nor forgets one, and that a rule which was changed since is known.
package struct RunLedger: Sendable {
    private let file: StateFile<LastRun>

    /// The ledger of a state directory.
    package init(stateDirectory: String) {
        file = StateFile(path: stateDirectory + "/last-runs.json", purpose: "remember the last runs")
    }

    /// The last runs by rule; empty when nothing ran yet. An unreadable ledger counts as empty: the worst that can
    /// follow is a run too many, or a person who is asked once more.
    package func lastRuns() -> [Name: LastRun] {
        file.read()
    }

    /// The last runs of `rules` on the stores at `places`, by the rules' names: of another rule that had the name, or on
    /// another store, none counts.
    package func lastRuns(of rules: [RetentionRule], at places: [Name: String]) -> [Name: LastRun] {
        let all = lastRuns()
        let own = rules.compactMap { rule in
            all[rule.name].flatMap { $0.isOf(rule, at: places[rule.store]) ? (rule.name, $0) : nil }
        }
        return Dictionary(own) { first, _ in first }
    }

    /// When `rules` last ran on the stores at `places` as far as their intervals count from it, see ``LastRun/counts(for:at:)``.
    package func lastDates(of rules: [RetentionRule], at places: [Name: String]) -> [Name: Date] {
        let runs = lastRuns(of: rules, at: places)
        let own = rules.compactMap { rule in
            runs[rule.name].flatMap {
                $0.counts(for: rule, at: places[rule.store]) ? (rule.name, $0.date) : nil
            }
        }
        return Dictionary(own) { first, _ in first }
    }

    var isDamaged: Bool { file.isDamaged }

    /// Remembers that `rules` ran at `date`, as they are, on the stores at `places`, and what `reports` say of them. Another
    /// process may record at the same time: none loses an entry.
    ///
    /// Throws ``StoreError/Kind-swift.enum/inputOutput`` when the state directory cannot be written.
    package func record(
        _ rules: [RetentionRule], at date: Date, on places: [Name: String] = [:], reports: [RuleReport] = []
    ) throws(StoreError) {
        guard !rules.isEmpty else { return }
        try file.update { runs in
            for rule in rules {
                let report = reports.first { $0.rule == rule.name }
                runs[rule.name] = LastRun(
                    date: date, rule: RuleText(rule), place: places[rule.store], report: report)
            }
        }
    }
}
