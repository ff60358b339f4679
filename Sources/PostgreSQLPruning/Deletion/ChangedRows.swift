import Retention

/// What one batch changed.
struct ChangedRows {
    var rows: Int64
    /// The rows of other tables that went with them.
    var dependents: Int64 = 0
    /// Nil when not asked for.
    var fingerprint: RowsFingerprint?
    /// Whether rows stayed because others had locked them.
    var missedRows = false
    /// The transaction, once it has a number.
    var transaction: String?
}
