import FoundationEssentials
import Retention

/// What was put back of the rows that one rule deleted in one run.
package struct RestoreReport: Equatable, Sendable {
    /// The rows.
    package let part: ArchivedPart
    /// How the rule's restore ended.
    package var outcome: Outcome
    /// The rows that were put back, or in a dry run would be.
    package var restored: Int64
    /// The rows that were not, by reason.
    package var skipped: [RestoreSkip: Int64]
    /// Why the outcome is not done.
    package var failure: Halt?

    /// A report of nothing done yet.
    package init(_ part: ArchivedPart) {
        self.part = part
        outcome = .done
        restored = 0
        skipped = [:]
        failure = nil
    }

    /// Whether another try might put more rows back.
    var hasRefused: Bool { outcome == .done && skipped[.refused, default: 0] > 0 }

    /// The same, failed where rows are neither put back nor there already. `place` is the store's path.
    func judged(at place: String) -> RestoreReport {
        let left = RestoreSkip.allCases.filter { $0 != .exists && skipped[$0, default: 0] > 0 }
        guard outcome == .done, let first = left.first else { return self }
        var report = self
        report.outcome = .failed
        let count = left.reduce(0) { $0 + skipped[$1, default: 0] }
        report.failure = Halt(
            .fault(left.contains(.damaged) ? .damaged : .other),
            operation: "put \(count.grouped) rows of run \(part.runID) back into \(part.table)", place: place,
            cause: left.map(\.cause).joined(separator: "; "), hint: first.hint)
        return report
    }

    /// Takes up what another try at the rows that were left has come to.
    mutating func goOn(with next: RestoreReport) {
        restored += next.restored
        (skipped, outcome, failure) = (next.skipped, next.outcome, next.failure)
    }

    mutating func add(_ batch: RestoredBatch) {
        restored += batch.restored
        skipped.merge(batch.skipped, uniquingKeysWith: +)
    }

    /// Sets outcome and reason. `stopReason`: why the restore is to stop, if it is.
    mutating func end(with halt: Halt, stopReason: String?) {
        let halt = halt.meeting(stopReason: stopReason, during: operation)
        (outcome, failure) = (halt.outcome, halt)
    }

    /// What a stop keeps from happening.
    var operation: String { "restore run \(part.runID)" }
}
