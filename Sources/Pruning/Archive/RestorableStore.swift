import Foundation
import Retention

/// A store into which archived rows can be put back.
package protocol RestorableStore: PrunableStore {
    /// Opens what puts the rows of `part` back; those of them that come back stay until `leaseEnd`, expired or not.
    func openRestorer(
        _ part: ArchivedPart, leaseEnd: Date, _ control: RunControl
    ) throws(StoreError) -> any RestoringContext

    /// What a restore would do, without writing anything. What a CHECK or a foreign key would refuse is not known before.
    func previewRestore(of part: ArchivedPart, _ control: RunControl) throws(StoreError) -> RestoredBatch
}

/// The one writer: puts archived rows back batch by batch.
package protocol RestoringContext {
    /// Puts the next `rows` rows back at the most, in one transaction, and never over a row that is there.
    ///
    /// What is thrown was rolled back, and the same rows come again with the next call.
    func restoreBatch(rows: Int) throws(StoreError) -> RestoredBatch

    /// Keeps the write-ahead log short; see ``WorkerContext/maintainLog()``.
    func maintainLog() throws(StoreError)

    /// Takes what was put back out of the archive, and closes the context.
    func close()
}

/// What one transaction put back.
package struct RestoredBatch: Equatable, Sendable {
    /// Rows that were put back stand for deleted ones.
    package let result: BatchResult
    /// The rows that were not put back, by reason.
    package let skipped: [RestoreReport.Skip: Int64]

    /// See the properties.
    package init(result: BatchResult, skipped: [RestoreReport.Skip: Int64]) {
        self.result = result
        self.skipped = skipped
    }
}
