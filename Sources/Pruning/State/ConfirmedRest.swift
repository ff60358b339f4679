import FoundationEssentials
import Glibc
import Retention

/// Records the progress of confirmed deletions. If one ends early, its remaining rows stay confirmed, and no other rows
/// are.
package protocol ConfirmationMemory: Sendable {
    /// Records that the rule's deletion of `rows` begins at `date`, which the confirmation of `confirmed` lets through. Returns the record
    /// to update when rows are deleted; nil when another run has used the confirmation since it was read. If this
    /// returns nil or throws, the deletion must not begin.
    func begin(
        _ rule: Name, by confirmed: Hold, of rows: RowsFingerprint, at date: Date
    ) throws(StoreError) -> (any ConfirmedRest)?

    /// Deletes the rule's hold: the rule now runs without being held.
    func forget(_ rule: Name) throws(StoreError)
}

/// Records which rows are left of a confirmed deletion in progress.
package protocol ConfirmedRest: AnyObject {
    /// Records that these rows were deleted.
    func take(_ gone: RowsFingerprint) throws(StoreError)
}
