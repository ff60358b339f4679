import Foundation
import Retention

/// Which entries of a history are asked for.
public struct HistorySelection: Sendable {
    /// None that is older.
    public var since: Date?
    /// Only what concerns this rule.
    public var rule: Name?
    /// The newest of them; nil for all.
    public var limit: Int?

    /// See the properties.
    public init(since: Date? = nil, rule: Name? = nil, limit: Int? = nil) {
        self.since = since
        self.rule = rule
        self.limit = limit
    }

    /// The selected ones of `entries`, in their order. What a run said when it began is left out where its end is known.
    public func apply(to entries: [HistoryEntry]) -> [HistoryEntry] {
        let ended = Set(entries.filter { $0.kind == .run }.compactMap(\.runID))
        let selected = entries.compactMap { entry -> HistoryEntry? in
            if entry.kind == .begun, let run = entry.runID, ended.contains(run) { return nil }
            if let since, entry.time < since { return nil }
            return rule.map { entry.concerning($0) } ?? entry
        }
        return limit.map { Array(selected.suffix($0)) } ?? selected
    }
}

extension HistoryEntry {
    /// What the entry says of a rule; nil when it says nothing of it.
    fileprivate func concerning(_ rule: Name) -> HistoryEntry? {
        let name = rule.description
        var part = self
        part.rules = rules?.filter { $0.rule == name }
        part.repeats = repeats?.filter { $0.rule == name }
        let isConcerned =
            switch kind {
            case .run: part.rules?.isEmpty == false
            case .quiet: part.repeats?.isEmpty == false
            case .begun, .confirmed: self.rule == name
            case .restored: self.rule == nil || self.rule == name
            case .refused, .trusted: false
            }
        return isConcerned ? part : nil
    }
}
