import FoundationEssentials
import Retention

/// The rows in the archive that one rule deleted in one run.
package struct ArchivedPart: Codable, Equatable, Sendable {
    /// The run's id.
    package let runID: String
    /// The rule that deleted the rows.
    package let rule: Name
    /// The store of the rows.
    package let store: Name
    /// The table of the rows.
    package let table: String
    /// The number of rows still archived.
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

    /// Whether it can be what it says.
    package var isPlausible: Bool { rows.isCount }
}

/// The writer of a restore: puts archived rows back batch by batch.
package protocol RestoringContext: BatchContext {
    /// Puts back at most the next `rows` rows, in one transaction. Never overwrites an existing row.
    ///
    /// When it throws, the transaction was rolled back, and the next call tries the same rows again.
    func restoreBatch(rows: Int) throws(StoreError) -> RestoredBatch
}

/// The result of one transaction of a restore, real or previewed.
package struct RestoredBatch: CommittedBatch, Equatable {
    /// The number of rows that were put back.
    package let restored: Int64
    /// The number of rows that were not put back, by reason.
    package let skipped: [RestoreSkip: Int64]
    package let work: BatchWork

    package init(restored: Int64, skipped: [RestoreSkip: Int64], work: BatchWork) {
        self.restored = restored
        self.skipped = skipped
        self.work = work
    }
}

/// Why an archived row was not put back. It stays in the archive until it expires there.
package enum RestoreSkip: String, Codable, CaseIterable, Sendable {
    /// The table has a row with the same key, or with the same value in a unique column.
    case exists
    /// The row was marked, and no longer has the mark.
    case unmarked
    /// The row was marked, and is gone.
    case gone
    /// The store has no such table anymore.
    case tableGone = "table_gone"
    /// The table lacks a column that the row has a value for.
    case columnGone = "column_gone"
    /// A constraint or a foreign key of the table does not allow it.
    case refused
    /// The archived row is no longer what was written.
    case damaged

    /// The reason, as text for a person.
    package var cause: String {
        switch self {
        case .exists: "a row with the same key exists"
        case .unmarked: "they no longer have the mark"
        case .gone: "their app has removed them since they were marked"
        case .tableGone: "the table no longer exists"
        case .columnGone: "the table no longer has one of their columns"
        case .refused: "a constraint or a foreign key of the table rejects them"
        case .damaged: "their part of the archive is damaged"
        }
    }

    var hint: String? {
        switch self {
        case .exists, .unmarked: nil
        case .gone: "the archive has only what the mark replaced, so they cannot come back"
        case .tableGone, .columnGone:
            "they stay in the archive; create it again, then restore the run again"
        case .refused: "they stay in the archive; create the rows that they need, then restore the run again"
        case .damaged: "if there is a backup of the archive, put it in place and restore the run again"
        }
    }
}
