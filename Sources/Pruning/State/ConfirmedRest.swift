import FoundationEssentials
import Glibc
import Retention

/// Records the progress of confirmed deletions. If one ends early, its remaining rows stay confirmed, and no other rows
/// are.
package protocol ConfirmationMemory: Sendable {
    /// Records that the rule's confirmed deletion of `rows` begins at `date`. Returns the record to update when rows
    /// are deleted; nil when the rule is not held. If this throws, the deletion must not begin.
    func begin(
        _ rule: Name, of rows: RowsFingerprint, at date: Date
    ) throws(StoreError) -> (any ConfirmedRest)?

    /// Deletes the rule's hold: the rule now runs without being held.
    func forget(_ rule: Name) throws(StoreError)
}

/// Records which rows are left of a confirmed deletion in progress.
package protocol ConfirmedRest: AnyObject {
    /// Records that these rows were deleted.
    func take(_ gone: RowsFingerprint) throws(StoreError)
}
