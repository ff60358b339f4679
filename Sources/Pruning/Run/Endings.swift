import Retention

/// How an error ends a rule: the one place where errors become outcomes.
extension RuleReport {
    init(_ task: PruneTask, ended error: StoreError, control: RunControl) {
        self.init(task)
        end(with: error, control: control)
    }

    /// Sets outcome and reason. Whatever the store said while a stop was requested, the rule was stopped.
    mutating func end(with error: StoreError, control: RunControl) {
        failure = error
        outcome =
            switch error.kind {
            case .busy: control.stopReason == nil ? .skipped : .stopped
            case .unsupported: .skipped
            case .interrupted, .logPinned: .stopped
            case .full, .inputOutput, .damaged, .schema, .unsafe, .other: .failed
            }
    }
}

extension StoreError {
    /// The rule ends because somebody asked the run to stop.
    static func stopRequested(_ reason: String, _ task: PruneTask, _ store: any PrunableStore) -> StoreError {
        StoreError(
            .interrupted, operation: "finish rule \(task.rule.name)", place: store.definition.path,
            cause: reason, hint: "the next run goes on where this one ended")
    }
}
