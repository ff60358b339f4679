import Retention

/// What one batch did: one committed transaction.
package struct BatchResult: Equatable, Sendable {
    /// The rows of the rule's table that were deleted.
    package let deleted: Int64
    /// Which rows these were; nil where nobody asked.
    package let fingerprint: RowsFingerprint?
    /// The rows of other tables that went with them.
    package let dependentsDeleted: Int64
    /// The rows looked at, which is what the batch size limits.
    package let visited: Int
    /// How long the write lock was kept, from its grant to the end of the commit.
    package let held: Duration
    /// The commit's part of ``held``, which is up to the disk.
    package let commit: Duration
    /// Whether nobody else had the store open when the batch ended, so that nobody can be waiting.
    package let isAlone: Bool
    /// Whether nothing is left to visit.
    package let isLast: Bool

    /// See the properties.
    package init(
        deleted: Int64, fingerprint: RowsFingerprint? = nil, dependentsDeleted: Int64, visited: Int,
        held: Duration, commit: Duration = .zero, isAlone: Bool, isLast: Bool
    ) {
        self.deleted = deleted
        self.fingerprint = fingerprint
        self.dependentsDeleted = dependentsDeleted
        self.visited = visited
        self.held = held
        self.commit = commit
        self.isAlone = isAlone
        self.isLast = isLast
    }
}
