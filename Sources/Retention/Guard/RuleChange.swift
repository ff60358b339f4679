import FoundationEssentials

/// How a rule differs from its last run.
package enum RuleChange: Equatable, Sendable {
    /// It has never completed a run.
    case new
    /// Only its period became shorter; `to` is nil if the period was removed.
    case shortened(key: String, from: String, to: String?)
    /// These keys of the configuration changed.
    case rewritten([String])

    /// Nil when `rule`, in a run that starts at `start`, deletes no more than it would with its text `last`.
    package init?(of rule: RetentionRule, since last: RuleText, at start: Date, in timeZone: Zone) {
        let keys = RuleText(rule).differences(from: last)
        guard !keys.isEmpty else { return nil }
        guard let periodKey = rule.expiry.keys?.period.rawValue, let before = last.applied(to: rule),
            keys == [periodKey]
        else {
            self = .rewritten(keys)
            return
        }
        guard rule.expiry.cutoff(at: start, in: timeZone) > before.expiry.cutoff(at: start, in: timeZone)
        else { return nil }
        guard let from = before.expiry.period else { return nil }  // it had no period to shorten
        self = .shortened(
            key: periodKey, from: from.description, to: rule.expiry.period?.description)
    }

    /// An explanation for a person, to follow a semicolon.
    package var explanation: String {
        switch self {
        case .new: "the rule is new: it has never completed a run"
        case .shortened(let key, let from, nil): "its \(key) of \(from) was removed since its last run"
        case .shortened(let key, let from, .some(let to)):
            "its \(key) was shortened since its last run, from \(from) to \(to)"
        case .rewritten(let keys): "it was changed since its last run (\(keys.joined(separator: ", ")))"
        }
    }

    /// The name of the case, which is part of ``HeldRule/kind``.
    package var kind: String {
        switch self {
        case .new: "new"
        case .shortened: "shortened"
        case .rewritten: "rewritten"
        }
    }
}
