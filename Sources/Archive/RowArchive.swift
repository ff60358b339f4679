import FoundationEssentials
import Pruning
import Retention

/// Stores rows before they are deleted, so that they can be restored.
package protocol RowArchive: Sendable {
    /// Opens the archive for writing. Creates it when it is missing.
    func openWriter(_ control: RunControl) throws(StoreError) -> any ArchiveWriter

    /// The restored rows of a table that must stay at `date` although they have expired; see also ``OtherArchives``.
    func leases(of table: String, in store: Name, at date: Date) throws(StoreError) -> Leases

    /// Opens the identities of `source` to find those that are back in the store. Nil if the archive has none: then it
    /// is unknown what came back.
    func openIdentities(
        of source: IdentitySource, _ control: RunControl
    ) throws(StoreError) -> (any ArchivedIdentities)?

    /// The batches of `part` that have rows, in the order in which they were archived, and the number of rows of each.
    func batches(
        of part: ArchivedPart, _ control: RunControl
    ) throws(StoreError) -> [(id: Int64, rows: Int64)]

    /// A batch of `part`; nil if it no longer exists. Throws ``StoreErrorKind/damaged`` if it is not as it was written.
    func batch(
        _ id: Int64, of part: ArchivedPart, _ control: RunControl
    ) throws(StoreError) -> ArchivedBatch?

    /// Opens the archive to note which rows of `part` are put back.
    func openReturn(of part: ArchivedPart, _ control: RunControl) throws(StoreError) -> any ArchiveReturn
}

/// An archive open for writing, for one thread at a time.
package protocol ArchiveWriter {
    /// Archives rows that the task is about to delete. When this returns, they are safe from a power failure.
    ///
    /// Throws ``StoreErrorKind/archiveFull`` when the archive has reached its limit.
    func archive(_ rows: ArchivedRows, of task: PruneTask) throws(StoreError)

    /// Throws when the archive's path no longer leads to this file.
    func checkPlace() throws(StoreError)

    /// Removes the rows that were archived last, because they were not deleted.
    func takeBack() throws(StoreError)

    /// Records that all archived rows were deleted from the store, durably even after a power failure. A row found
    /// later in the place of one of them is a different row.
    func noteDeleted() throws(StoreError)

    /// Does maintenance that can wait until no rows are about to be deleted.
    func maintain() throws(StoreError)

    func close()
}

/// The archive while the rows of a part are put back, for one thread at a time.
package protocol ArchiveReturn {
    /// See ``RowArchive``.
    func batch(_ id: Int64) throws(StoreError) -> ArchivedBatch?

    /// Gives rows of a batch a lease until `end`. When this returns, the lease is on the archive's disk. Until the batch is
    /// settled, it is in return. `places` are those of the rows that no key tells from others.
    func lease(
        _ fingerprints: [UInt64], of batch: Int64, until end: Date, places: Places
    ) throws(StoreError)

    /// Leaves only `remaining` of the batch's rows in the archive. `back` are the positions of the rows that are back in the
    /// store.
    func settle(
        _ batch: ArchivedBatch, _ remaining: (rows: [[ArchivedValue]], places: Places), back: Set<Int>,
        until end: Date
    ) throws(StoreError)

    func maintain() throws(StoreError)

    func close()
}

extension (any RowArchive)? {
    /// The archive. Throws if a store has none.
    package func orRefusal(of part: ArchivedPart, place: String) throws(StoreError) -> any RowArchive {
        if let self { return self }
        throw StoreError(
            .other, operation: "restore run \(part.runID)", place: place, cause: "the store has no archive")
    }
}
