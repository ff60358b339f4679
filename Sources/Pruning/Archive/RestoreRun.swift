import Foundation
import Retention

/// Puts back what one rule deleted in one run, in short transactions and with pauses, as it was deleted.
package struct RestoreRun {
    private let part: ArchivedPart
    private let store: any RestorableStore
    private let leaseEnd: Date
    private let settings: RunSettings
    private let control: RunControl

    /// Puts `part` back into `store`, where it stays until `leaseEnd` at least.
    package init(
        _ part: ArchivedPart, into store: any RestorableStore, leaseEnd: Date, settings: RunSettings,
        control: RunControl
    ) {
        self.part = part
        self.store = store
        self.leaseEnd = leaseEnd
        self.settings = settings
        self.control = control
    }

    /// Executes all of them, in their order. What a foreign key refuses is tried again as long as anything comes back: it
    /// may be what the key points at. What is neither back nor there already in the end has failed.
    package static func execute(_ runs: [RestoreRun]) -> [RestoreReport] {
        var reports = runs.map { $0.execute() }
        var restored = reports.map(\.restored).reduce(0, +)
        while restored > 0 {
            restored = 0
            for index in runs.indices where reports[index].hasRefused {
                let next = runs[index].execute()
                restored += next.restored
                reports[index].goOn(with: next)
            }
        }
        return zip(runs, reports).map { $1.judged(at: $0.store.definition.path) }
    }

    /// Runs to the end; what goes wrong stands in the report.
    package func execute() -> RestoreReport {
        var report = RestoreReport(part)
        do {
            if settings.dryRun {
                report.add(
                    try patiently { () throws(StoreError) in
                        try store.previewRestore(of: part, control)
                    })
            } else {
                try restore(&report)
            }
        } catch {
            report.outcome = Outcome(endedBy: error, control: control)
            report.failure = error
        }
        return report
    }

    private func restore(_ report: inout RestoreReport) throws(StoreError) {
        let claim = try patiently { () throws(StoreError) in try store.claim() }
        defer { claim.release() }
        let context = try patiently { () throws(StoreError) in
            try store.openRestorer(part, leaseEnd: leaseEnd, control)
        }
        defer { context.close() }
        var pacer = BatchPacer(lockTime: settings.lockTime, isQuiet: store.definition.isQuiet)
        while true {
            if let reason = control.stopReason {
                throw .stopRequested(reason, during: "restore run \(part.runID)", at: store.definition.path)
            }
            guard let batch = try restoreBatch(in: context, &pacer) else {
                control.pause(pacer.pause.most)
                continue
            }
            report.add(batch)
            if batch.result.isLast { return }
            pacer.record(batch.result)
            try patiently { () throws(StoreError) in try context.maintainLog() }
            control.pause(pacer.pause.most)
        }
    }

    /// Nil when the batch did not fit into its time, and a smaller one is to be tried.
    private func restoreBatch(
        in context: any RestoringContext, _ pacer: inout BatchPacer
    ) throws(StoreError) -> RestoredBatch? {
        let rows = pacer.rows
        do {
            return try patiently { () throws(StoreError) in try context.restoreBatch(rows: rows) }
        } catch  where error.kind == .tooSlow && pacer.beginAgain() {
            return nil
        }
    }

    private func patiently<Result>(
        _ attempt: () throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try Patience(settings: settings, control: control).keepTrying(attempt)
    }
}
