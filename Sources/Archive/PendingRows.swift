import Pruning

/// The rows of a batch that the archive has and that are about to leave their store.
///
/// The rows are on the archive's disk before the transaction that deletes them commits. After a kill a row may be in both
/// places, but never in neither.
package final class PendingRows {
    private let archive: any RowArchive
    private let control: RunControl
    /// Nil until there are rows to archive.
    private var writer: (any ArchiveWriter)?
    /// Archived rows that are still in the store, because no transaction that deletes them was committed yet.
    private var pending: ArchivedRows?
    /// Whether rows were archived that only their place may identify, or that are looked for in later runs. Of these it
    /// must be known that they were deleted.
    private var mustKnowDeletion = false
    /// Whether it is unknown if some transaction that deletes rows was committed.
    private var isInDoubt = false

    package init(in archive: any RowArchive, control: RunControl) {
        self.archive = archive
        self.control = control
    }

    /// Archives rows, if they are not those that are pending.
    package func archive(_ rows: ArchivedRows, of task: PruneTask) throws(StoreError) {
        guard rows != pending else { return try writer?.checkPlace() ?? () }
        try takeBack()
        guard rows.count > 0 else { return }
        try opened().archive(rows, of: task)
        if rows.mustKnowDeletion { mustKnowDeletion = true }
        pending = rows
    }

    /// Opens the archive for a task that has rows to archive. To be called while the store is not locked: it takes time to
    /// see whether the archive is whole.
    package func open() throws(StoreError) { _ = try opened() }

    private func opened() throws(StoreError) -> any ArchiveWriter {
        if let writer { return writer }
        let new = try archive.openWriter(control)
        writer = new
        return new
    }

    /// Call this when the transaction of a batch was committed. If it was rolled back, the rows wait in the archive for the
    /// next try, or for ``close(_:)``.
    package func pass() {
        pending = nil
    }

    /// Call this when the transaction of a batch may have been committed. The rows then also stay in the archive.
    package func doubt() {
        isInDoubt = isInDoubt || pending != nil
        pending = nil
    }

    private func takeBack() throws(StoreError) {
        guard pending != nil else { return }
        pending = nil
        try writer?.takeBack()
    }

    package func maintain() throws(StoreError) {
        try writer?.maintain()
    }

    /// Closes the archive. `areSafe` returns whether a power cut would undo no deletion. It is called only if that
    /// matters.
    package func close(_ areSafe: () -> Bool) {
        // If this fails, the rows are in both places, as after a kill.
        do {
            try takeBack()
            if mustKnowDeletion, !isInDoubt, areSafe() { try writer?.noteDeleted() }
        } catch {}
        writer?.close()
        writer = nil
    }
}

extension ArchivedRows {
    /// Whether it matters later that the rows certainly left the store. Rows of a database may have no key that tells
    /// them from equal ones.
    fileprivate var mustKnowDeletion: Bool {
        hasPlace || identityKind != nil || encoding == .postgresql
    }
}
