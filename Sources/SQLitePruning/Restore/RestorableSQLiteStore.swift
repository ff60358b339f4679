import FoundationEssentials
import Pruning

extension SQLiteStore {
    /// See ``PrunableStore``.
    package func openRestorer(
        _ part: ArchivedPart, leaseEnd: Date, _ control: RunControl
    ) throws(StoreError) -> any RestoringContext {
        let archive = try restorableArchive(part)
        let worker = try SQLiteWorker(
            path: path, control: control, terms: terms, lockTime: lockTime, monotonic: monotonic
        )
        do throws(StoreError) {
            return try SQLiteRestorer(
                part, leaseEnd: leaseEnd, archive: archive, worker: worker, control: control)
        } catch {
            worker.close()
            throw error
        }
    }

    /// See ``PrunableStore``.
    package func previewRestore(
        of part: ArchivedPart, _ control: RunControl
    ) throws(StoreError) -> RestoredBatch {
        let archive = try restorableArchive(part)
        let view = try SQLiteView(path: path, control: control, terms: terms)
        defer { view.close() }
        return try RestorePreview(part: part, archive: archive, view: view, place: path)
            .take(control)
    }

    private func restorableArchive(_ part: ArchivedPart) throws(StoreError) -> SQLiteArchive {
        guard let archive else {
            throw StoreError(
                .other, operation: "restore run \(part.runID)", place: path,
                cause: "the store has no archive")
        }
        return archive
    }
}
