import FoundationEssentials
import Retention

/// What the archive has of one rule in one run.
package struct ArchivedPart: Equatable, Sendable {
    /// The run's id.
    package let runID: String
    /// The rule that deleted the rows.
    package let rule: Name
    /// The store that they are from.
    package let store: Name
    /// The table that they are from.
    package let table: String
    /// How many there are still.
    package let rows: Int64
    /// When the run began.
    package let archivedAt: Date

    package init(
        runID: String, rule: Name, store: Name, table: String, rows: Int64, archivedAt: Date
    ) {
        self.runID = runID
        self.rule = rule
        self.store = store
        self.table = table
        self.rows = rows
        self.archivedAt = archivedAt
    }
}

/// The one writer of a restore: puts archived rows back batch by batch.
package protocol RestoringContext: BatchContext {
    /// Puts the next `rows` rows back at the most, in one transaction, and never over a row that is there.
    ///
    /// What is thrown was rolled back, and the same rows come again with the next call.
    func restoreBatch(rows: Int) throws(StoreError) -> RestoredBatch
}

/// What one transaction put back, or would.
package struct RestoredBatch: CommittedBatch, Equatable {
    /// The rows that were put back.
    package let restored: Int64
    /// The rows that were not put back, by reason.
    package let skipped: [RestoreSkip: Int64]
    package let work: BatchWork

    package init(restored: Int64, skipped: [RestoreSkip: Int64], work: BatchWork) {
        self.restored = restored
        self.skipped = skipped
        self.work = work
    }
}

/// Why an archived row was not put back. It stays in the archive until its time.
package enum RestoreSkip: String, CaseIterable, Sendable {
    /// A row with its key, or with a value that must be unique, is there now.
    case exists
    /// The store has no such table anymore.
    case tableGone = "table_gone"
    /// The table lacks a column that the row has a value for.
    case columnGone = "column_gone"
    /// A constraint or a foreign key of the table does not allow it.
    case refused
    /// The archive has it no more as it was written.
    case damaged

    /// What a person reads of it.
    package var cause: String {
        switch self {
        case .exists: "a row with the same key exists"
        case .tableGone: "the table no longer exists"
        case .columnGone: "the table no longer has one of their columns"
        case .refused: "a constraint or a foreign key of the table rejects them"
        case .damaged: "their part of the archive is damaged"
        }
    }

    var hint: String? {
        switch self {
        case .exists: nil
        case .tableGone, .columnGone:
            "they stay in the archive; create it again, then restore the run again"
        case .refused: "they stay in the archive; create the rows that they need, then restore the run again"
        case .damaged: "if there is a backup of the archive, put it in place and restore the run again"
        }
    }
}
