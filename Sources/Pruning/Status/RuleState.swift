/// How a rule stands. The names are those of `pruned status --json`: they stay.
package enum RuleState: String, Codable, Sendable {
    /// It has never run.
    case new
    /// Its last run came to its end.
    case done
    /// A guard stopped it, and a person must say whether it may go on.
    case held
    /// A person has confirmed what was held, and the next run does it.
    case confirmed
    /// It deletes just now.
    case running
    /// It began to delete, and nothing says how that ended: it was killed.
    case interrupted
    /// Its last run ended early, by a signal or a limit.
    case stopped
    /// Its store was busy when it last tried.
    case skipped
    /// Its last run failed.
    case failed
    /// It does not fit its store, so that no run begins.
    case unfit
}

extension RuleState {
    init(_ outcome: Outcome) {
        self =
            switch outcome {
            case .done: .done
            case .held: .held
            case .stopped: .stopped
            case .skipped: .skipped
            case .failed: .failed
            }
    }
}
