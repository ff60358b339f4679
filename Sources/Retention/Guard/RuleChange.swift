import FoundationEssentials

/// How a rule differs from what it last ran with.
package enum RuleChange: Equatable, Sendable {
    /// It never ran to its end.
    case new
    /// Nothing but its period got shorter; `from` is nil where there was none.
    case shortened(key: String, from: String, to: String?)
    /// It says something else, by these keys of the configuration.
    case rewritten([String])

    /// Nil when `rule`, in a run that starts at `start`, deletes no more than what it last ran with would.
    package init?(of rule: RetentionRule, since last: RuleText, at start: Date, in timeZone: Zone) {
        let keys = RuleText(rule).differences(from: last)
        guard !keys.isEmpty else { return nil }
        guard let before = last.applied(to: rule), keys == [rule.expiry.periodKey] else {
            self = .rewritten(keys)
            return
        }
        guard rule.expiry.cutoff(at: start, in: timeZone) > before.expiry.cutoff(at: start, in: timeZone)
        else { return nil }
        guard let from = before.expiry.period else { return nil }  // no period is the shortest
        self = .shortened(
            key: rule.expiry.periodKey, from: from.description, to: rule.expiry.period?.description)
    }

    /// In words, to follow a semicolon.
    package var explanation: String {
        switch self {
        case .new: "the rule is new: it has never completed a run"
        case .shortened(let key, let from, nil): "its \(key) of \(from) was removed since its last run"
        case .shortened(let key, let from, .some(let to)):
            "its \(key) was shortened since its last run, from \(from) to \(to)"
        case .rewritten(let keys): "it was changed since its last run (\(keys.joined(separator: ", ")))"
        }
    }

    /// Which of the cases it is: what makes a hold another hold.
    package var kind: String {
        switch self {
        case .new: "new"
        case .shortened: "shortened"
        case .rewritten: "rewritten"
        }
    }
}

extension Expiry {
    /// How long a row stays after what its time says; nil where it does not.
    var period: Span? {
        switch self {
        case .age(_, let keep): keep
        case .deadline(_, let grace): grace
        }
    }

    /// What the configuration calls ``period``.
    var periodKey: String {
        switch self {
        case .age: "keep"
        case .deadline: "grace"
        }
    }
}
