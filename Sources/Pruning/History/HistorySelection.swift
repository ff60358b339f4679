import FoundationEssentials
import Retention

/// Which entries of a history are asked for.
package struct HistorySelection: Sendable {
    /// None that is older.
    package var since: Date?
    /// Only what concerns one of these rules; empty: all.
    package var rules: Set<Name>
    /// The newest of them; nil for all.
    package var limit: Int?

    /// See the properties.
    package init(since: Date? = nil, rules: Set<Name> = [], limit: Int? = nil) {
        self.since = since
        self.rules = rules
        self.limit = limit
    }

    /// The selected ones of `entries`, in their order. What a run said when it began is left out where its end is known.
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

    /// What the entry says of the rules of these names; nil when it says nothing of them.
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
