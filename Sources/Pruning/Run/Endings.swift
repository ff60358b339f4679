import Retention

/// How an error ends a rule: the one place where errors become outcomes.
extension RuleReport {
    init(_ task: PruneTask, ended error: StoreError, control: RunControl) {
        self.init(task)
        end(with: error, control: control)
    }

    /// Sets outcome and reason. What a store says when it was busy or interrupted while a stop was requested is not
    /// why the rule ended: the request is.
    mutating func end(with error: StoreError, control: RunControl) {
        failure = error
        outcome =
            switch error.kind {
            case .busy: control.stopReason == nil ? .skipped : .stopped
            case .unsupported, .missing: .skipped
            case .interrupted, .logPinned: .stopped
            case .full, .inputOutput, .damaged, .replaced, .schema, .unsafe, .other: .failed
            }
        if outcome == .stopped, let reason = control.stopReason {
            failure = .stopRequested(reason, rule, at: error.place)
        }
    }
}

extension StoreError {
    /// The rule ends because somebody asked the run to stop.
    static func stopRequested(_ reason: String, _ rule: Name, at place: String) -> StoreError {
        StoreError(
            .interrupted, operation: "finish rule \(rule)", place: place, cause: reason,
            hint: "the next run goes on where this one ended")
    }
}
