import FoundationEssentials
import Retention

/// Puts back what one rule deleted in one run. Like the deletion, it uses short transactions with pauses.
package struct RestoreRun {
    package let part: ArchivedPart
    package let store: any PrunableStore
    package let leaseEnd: Date
    private let settings: RunSettings
    private let control: RunControl

    /// Puts `part` back into `store`, where its rows stay at least until `leaseEnd`.
    package init(
        _ part: ArchivedPart, into store: any PrunableStore, leaseEnd: Date, settings: RunSettings,
        control: RunControl
    ) {
        self.part = part
        self.store = store
        self.leaseEnd = leaseEnd
        self.settings = settings
        self.control = control
    }

    /// Executes the runs in their order. Rows that a foreign key rejects are retried as long as other rows come back,
    /// which the key may refer to. Rows that are neither restored nor already present at the end make their report
    /// fail.
    package static func execute(
        _ runs: [RestoreRun],
        by perform: (RestoreRun, _ index: Int) -> RestoreReport = { run, _ in run.execute() }
    ) -> [RestoreReport] {
        var tried = runs.enumerated().map { index, run in (run: run, report: perform(run, index)) }
        var restored = tried.map(\.report.restored).reduce(0, +)
        while restored > 0 {
            restored = 0
            for index in tried.indices where tried[index].report.hasRefused {
                let next = perform(tried[index].run, index)
                restored += next.restored
                tried[index].report.goOn(with: next)
            }
        }
        return tried.map { $0.report.judged(at: $0.run.store.definition.place) }
    }

    /// Restores the rows. Errors are in the report.
    package func execute() -> RestoreReport {
        var report = RestoreReport(part, leaseEnd: leaseEnd)
        do throws(Halt) {
            if settings.dryRun {
                report.add(
                    try patience.keepTrying { () throws(StoreError) in
                        try store.previewRestore(of: part, control)
                    })
            } else {
                try restore(&report)
            }
        } catch {
            report.end(with: error, stopReason: control.stopReason)
        }
        return report
    }

    private func restore(_ report: inout RestoreReport) throws(Halt) {
        let claim = try patience.keepTrying { () throws(StoreError) in try store.claim(control) }
        defer { claim.release() }
        let context = try patience.keepTrying { () throws(StoreError) in
            try store.openRestorer(part, leaseEnd: leaseEnd, control)
        }
        defer { context.close() }
        var batches = BatchLoop(
            on: context, isQuiet: store.definition.isQuiet, settings: settings, control: control)
        let operation = report.operation
        while let batch = try batches.next(
            unless: { () throws(Halt) in try checkMayGoOn(operation) },
            { size, _ throws(StoreError) in try context.restoreBatch(rows: size) })
        {
            report.add(batch)
        }
    }

    private func checkMayGoOn(_ operation: String) throws(Halt) {
        guard let reason = control.stopReason else { return }
        throw .stopRequested(reason, during: operation, at: store.definition.place)
    }

    private var patience: Patience { Patience(settings: settings, control: control) }
}
