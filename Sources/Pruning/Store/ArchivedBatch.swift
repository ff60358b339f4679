import FoundationEssentials
import Retention

/// A batch of rows in the archive.
package struct ArchivedBatch: Equatable, Sendable {
    package let id: Int64
    /// The rows, without their identities.
    package let rows: ArchivedRows
    /// Whether ``ArchiveWriter/noteDeleted()`` was recorded. If not, the run was killed, and the rows may still be in the
    /// store.
    package let isDeleted: Bool
    /// Whether a restore began to put rows of the batch back and did not end. Some of them may be back.
    package let isInReturn: Bool

    package init(id: Int64, rows: ArchivedRows, isDeleted: Bool, isInReturn: Bool) {
        (self.id, self.rows, self.isDeleted, self.isInReturn) = (id, rows, isDeleted, isInReturn)
    }

    /// Throws unless the rows are in `encoding`: the store under this name may have been of another kind.
    package func check(_ encoding: StoreFormat, of part: ArchivedPart, place: String) throws(StoreError) {
        guard rows.encoding != encoding else { return }
        throw rows.encoding.mismatch(of: part, place: place)
    }
}

extension StoreFormat {
    /// The error of a store of another kind than the rows'.
    package func mismatch(of part: ArchivedPart, place: String) -> StoreError {
        StoreError(
            .unsupported, operation: "restore run \(part.runID)", place: place,
            cause:
                "the rows are of a store in \(rawValue), and store \(part.store) is one in \(other.rawValue) by now",
            hint: "restore with the configuration of then; the rows stay in the archive meanwhile")
    }
}

/// The archive while the rows of a part are put back, for one thread at a time.
package protocol ArchiveReturn {
    /// Gives rows of a batch a lease until `end`. When this returns, the lease is on the archive's disk. Until the batch is
    /// settled, it is in return.
    func lease(_ fingerprints: [UInt64], of batch: Int64, until end: Date) throws(StoreError)

    /// Leaves only `rows`, which are `count`, of the batch's rows in the archive. `back` are the positions of the rows that
    /// are back in the store.
    func settle(_ batch: ArchivedBatch, rows: [UInt8], count: Int64, back: Set<Int>) throws(StoreError)

    func maintain() throws(StoreError)

    func close()
}
