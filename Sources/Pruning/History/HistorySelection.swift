import FoundationEssentials
import Retention

/// Which entries of a history to show.
package struct HistorySelection: Sendable {
    /// Leaves out older entries.
    package var since: Date?
    /// Shows only what concerns these rules; if empty, everything.
    package var rules: Set<Name>
    /// Shows at most this many entries, the newest; nil for all.
    package var limit: Int?

    package init(since: Date? = nil, rules: Set<Name> = [], limit: Int? = nil) {
        self.since = since
        self.rules = rules
        self.limit = limit
    }

    /// The selected entries, in the same order. The beginning of a run is left out when its end is known.
    package func apply(to entries: [HistoryEntry]) -> [HistoryEntry] {
        let names = Set(rules.map(\.description))
        let ended = Set(entries.filter { $0.kind == .run }.compactMap(\.runID))
        let selected = entries.compactMap { entry -> HistoryEntry? in
            if entry.kind == .begun, let run = entry.runID, ended.contains(run) { return nil }
            if let since, entry.time < since { return nil }
            return rules.isEmpty ? entry : entry.concerning(names)
        }
        return limit.map { Array(selected.suffix($0)) } ?? selected
    }
}

extension HistoryEntry {
    /// The rules that the entry names.
    package var ruleNames: [String] {
        [rule].compactMap(\.self) + (rules ?? []).map(\.rule) + (repeats ?? []).map(\.rule)
    }

    /// The entry reduced to the rules with these names; nil when it does not concern them.
    fileprivate func concerning(_ names: Set<String>) -> HistoryEntry? {
        var part = self
        part.rules = rules?.filter { names.contains($0.rule) }
        part.repeats = repeats?.filter { names.contains($0.rule) }
        let isConcerned =
            switch kind {
            case .run: part.rules?.isEmpty == false
            case .quiet: part.repeats?.isEmpty == false
            case .begun, .confirmed: rule.map(names.contains) ?? false
            case .restored: rule.map(names.contains) ?? true
            case .refused, .trusted: false
            }
        return isConcerned ? part : nil
    }
}
