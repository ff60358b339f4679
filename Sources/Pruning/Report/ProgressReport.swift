/// A report of which a worker process tells one part, its progress. The members of that are also the report's.
@dynamicMemberLookup
package protocol ProgressReport {
    associatedtype Progress: ToldProgress
    var progress: Progress { get set }
    /// The operation that a stop request interrupts, for its error.
    var operation: String { get }
}

/// How far something is, or how it ended.
package protocol ToldProgress: Codable, Equatable, Sendable {
    var outcome: Outcome { get set }
    /// Why the outcome is not done.
    var failure: Halt? { get set }
    /// Whether all of it can be what it says.
    var isPlausible: Bool { get }
}

extension ProgressReport {
    package subscript<Value>(dynamicMember member: WritableKeyPath<Progress, Value>) -> Value {
        get { progress[keyPath: member] }
        set { progress[keyPath: member] = newValue }
    }

    /// Sets outcome and reason. `stopReason` is the reason of the stop request; nil when there was none.
    package mutating func end(with halt: Halt, stopReason: String?) {
        let halt = halt.meeting(stopReason: stopReason, during: operation)
        (progress.outcome, progress.failure) = (halt.outcome, halt)
    }

    /// This report with the progress that was told, its failure in texts that may be shown; nil if that cannot be.
    package func with(told progress: Progress) -> Self? {
        guard progress.isPlausible else { return nil }
        var report = self
        report.progress = progress
        report.progress.failure = progress.failure?.cleaned
        return report
    }
}
