import FoundationEssentials

/// What a restore put back of the rows that one rule deleted in one run.
package struct RestoreReport: ProgressReport, Equatable, Sendable {
    /// The rows to put back.
    package let part: ArchivedPart
    /// Until when no run deletes the restored rows.
    package let leaseEnd: Date
    package var progress = RestoreProgress()

    /// An empty report.
    package init(_ part: ArchivedPart, leaseEnd: Date) {
        self.part = part
        self.leaseEnd = leaseEnd
    }

    /// Whether a second attempt might put more rows back.
    var hasRefused: Bool { progress.outcome == .done && progress.skipped[.refused, default: 0] > 0 }

    /// This report, marked as failed if some rows are neither put back nor already present. `place` is the store's
    /// path.
    func judged(at place: String) -> RestoreReport {
        let left = RestoreSkip.allCases.filter {
            $0 != .exists && $0 != .unmarked && progress.skipped[$0, default: 0] > 0
        }
        guard progress.outcome == .done, let first = left.first else { return self }
        var report = self
        report.outcome = .failed
        let count = left.reduce(0) { $0 + progress.skipped[$1, default: 0] }
        report.failure = Halt(
            .fault(left.contains(.damaged) ? .damaged : .other),
            operation: "put \(count.grouped) rows of run \(part.runID) back into \(part.table)", place: place,
            cause: left.map(\.cause).joined(separator: "; "), hint: first.hint)
        return report
    }

    /// Adds the report of a second attempt at the rows that were left.
    mutating func goOn(with next: RestoreReport) {
        let restored = progress.restored + next.restored
        progress = next.progress
        progress.restored = restored
    }

    mutating func add(_ batch: RestoredBatch) {
        progress.restored += batch.restored
        progress.skipped.merge(batch.skipped, uniquingKeysWith: +)
    }

    package var operation: String { "restore run \(part.runID)" }
}

/// What became of the rows that were to be put back.
package struct RestoreProgress: ToldProgress {
    /// How the rule's restore ended.
    package var outcome = Outcome.done
    /// The number of rows that were put back, or would be in a dry run.
    package var restored: Int64 = 0
    /// The number of rows that were not put back, by reason.
    package var skipped: [RestoreSkip: Int64] = [:]
    /// Why the outcome is not done.
    package var failure: Halt?

    package var isPlausible: Bool {
        ([restored] + skipped.values).allSatisfy(\.isCount) && (failure == nil) == (outcome == .done)
    }
}
