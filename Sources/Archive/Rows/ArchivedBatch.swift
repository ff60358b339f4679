import Pruning
import Retention

/// A batch of rows in the archive.
package struct ArchivedBatch: Equatable, Sendable {
    package let id: Int64
    /// The rows, without their identities.
    package internal(set) var rows: ArchivedRows
    /// Whether ``ArchiveWriter/noteDeleted()`` was recorded. If not, the run was killed, and the rows may still be in the
    /// store.
    package let isDeleted: Bool
    /// Whether a restore began to put rows of the batch back and did not end. Some of them may be back.
    package let isInReturn: Bool
    /// Where earlier restores may have put rows of the batch.
    package let places: Places

    /// Throws unless the rows are in `encoding`: the store under this name may have been of another kind.
    func check(_ encoding: StoreFormat, of part: ArchivedPart, place: String) throws(StoreError) {
        guard rows.encoding != encoding else { return }
        throw rows.encoding.mismatch(of: part, in: encoding, place: place)
    }
}

extension StoreFormat {
    /// The error of a store of another kind than the rows'.
    fileprivate func mismatch(of part: ArchivedPart, in other: StoreFormat, place: String) -> StoreError {
        StoreError(
            .unsupported, operation: "restore run \(part.runID)", place: place,
            cause:
                "the rows are of a store in \(rawValue), and store \(part.store) is one in \(other.rawValue) by now",
            hint: "restore with the configuration of then; the rows stay in the archive meanwhile")
    }
}
