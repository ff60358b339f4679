import Retention

/// What one batch of a rule deleted.
package struct BatchResult: CommittedBatch, Equatable {
    /// The rows of the rule's table that were deleted.
    package let deleted: Int64
    /// Which rows these were; nil where nobody asked.
    package let fingerprint: RowsFingerprint?
    /// The rows of other tables that went with them.
    package var dependentsDeleted: Int64 { work.dependents }
    package let work: BatchWork

    package init(deleted: Int64, fingerprint: RowsFingerprint? = nil, work: BatchWork) {
        self.deleted = deleted
        self.fingerprint = fingerprint
        self.work = work
    }
}

/// What one step gave back to the file system.
package struct ReclaimStep: CommittedBatch, Equatable {
    package let bytes: Int64
    package let work: BatchWork

    package init(bytes: Int64, work: BatchWork) {
        self.bytes = bytes
        self.work = work
    }
}
