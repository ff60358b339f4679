import Retention

/// How an error ends a rule, or the reclaim after the rules.
extension Outcome {
    /// The one place where errors become outcomes. What a store says when it was busy while a stop was requested is not
    /// why the work ended: the request is.
    init(endedBy error: StoreError, control: RunControl) {
        self =
            switch error.kind {
            case .busy: control.stopReason == nil ? .skipped : .stopped
            case .unsupported, .missing: .skipped
            case .held, .archiveFull, .leased, .clockDoubted: .held
            case .interrupted, .logPinned: .stopped
            case .full, .tooLarge, .tooSlow, .inputOutput, .damaged, .replaced, .schema, .unsafe, .other:
                .failed
            }
    }
}

extension RuleReport {
    init(_ task: PruneTask, ended error: StoreError, control: RunControl) {
        self.init(task)
        end(with: error, control: control)
    }

    /// Sets outcome and reason.
    mutating func end(with error: StoreError, control: RunControl) {
        outcome = Outcome(endedBy: error, control: control)
        failure = error
        if outcome == .stopped, let reason = control.stopReason {
            failure = .stopRequested(reason, rule, at: error.place)
        }
    }
}

extension ReclaimReport {
    /// Sets outcome and reason.
    mutating func end(with error: StoreError, control: RunControl) {
        outcome = Outcome(endedBy: error, control: control)
        failure = error
        if outcome == .stopped, let reason = control.stopReason {
            failure = .stopRequested(reason, during: Self.operation, at: error.place)
        }
    }
}

extension StoreError {
    /// The rule ends because somebody asked the run to stop.
    static func stopRequested(_ reason: String, _ rule: Name, at place: String) -> StoreError {
        .stopRequested(reason, during: "finish rule \(rule)", at: place)
    }

    /// The rule does not run, or ends, because the clock cannot be believed.
    static func clockDoubted(_ doubt: ClockDoubt, at place: String, program: String) -> StoreError {
        StoreError(
            .clockDoubted, operation: "judge what has expired", place: place, cause: doubt.cause,
            hint: "runs go on by themselves once the clock is right again; if it is right as it is:"
                + " `\(program) --run-now --trust-clock`")
    }

    /// Whatever was going on ends because somebody asked the run to stop.
    static func stopRequested(_ reason: String, during operation: String, at place: String) -> StoreError {
        StoreError(
            .interrupted, operation: operation, place: place, cause: reason,
            hint: "the next run goes on where this one ended")
    }
}
