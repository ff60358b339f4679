/// Which rows of one table expire, and how often to prune them.
package struct RetentionRule: Hashable, Sendable {
    /// Unique in its policy.
    package var name: Name
    /// The store of ``table``.
    package var store: Name
    /// The table whose rows expire.
    package var table: String
    /// What makes a row of ``table`` expire.
    package var expiry: Expiry
    /// The unit of the time column.
    package var unit: TimeUnit
    /// The interval after which the rule is due again.
    package var every: Span
    /// Tables whose rows are deleted together with the row of ``table`` that they belong to.
    package var dependents: Set<String>
    /// The column of the keepers: a row stays while its key occurs in this column.
    package var keptBy: ColumnReference?
    /// How many of the newest rows, by the time column, never expire; at least 1. Nil: none.
    package var keepLast: Int64?
    /// For a rule by age: how far back the store's source may deliver rows again. A row that is deleted sooner returns
    /// as if it were new.
    package var sourceWindow: Span?
    /// When the rule is held for a person to confirm.
    package var holdLimits: HoldLimits
    /// How long the archive keeps a deleted row, so that it can be restored; nil: not archived.
    package var archiveKeep: Span?
    /// Whether the rule must leave time for an app that does not wait for locks: batches of a millisecond, and the lock
    /// is free nearly all of the time.
    package var isQuiet: Bool

    /// Parameters that are left out get the documented defaults, and `holdLimits` those of ``HoldLimits/standard`` as
    /// inherited by the expiry.
    package init(
        name: Name, store: Name, table: String, expiry: Expiry, unit: TimeUnit = Self.defaultUnit,
        every: Span = Self.defaultEvery, dependents: Set<String> = [], keptBy: ColumnReference? = nil,
        keepLast: Int64? = nil, sourceWindow: Span? = nil, holdLimits: HoldLimits? = nil,
        archiveKeep: Span? = nil, isQuiet: Bool = false
    ) {
        self.name = name
        self.store = store
        self.table = table
        self.expiry = expiry
        self.unit = unit
        self.every = every
        self.dependents = dependents
        self.keptBy = keptBy
        self.keepLast = keepLast
        self.sourceWindow = sourceWindow
        self.holdLimits = holdLimits ?? .standard.inherited(by: expiry)
        self.archiveKeep = archiveKeep
        self.isQuiet = isQuiet
    }

    /// The unit of a rule that sets none.
    package static let defaultUnit = TimeUnit.seconds
    /// The interval of a rule that sets none.
    package static let defaultEvery = Span(1, .day)
    /// How long rows are archived if a rule archives but sets no period.
    package static let defaultArchiveKeep = Span(30, .day)
}

/// A column of a table, written `table.column`.
package struct ColumnReference: Hashable, Sendable, CustomStringConvertible {
    package let table: String
    package let column: String

    package init(table: String, column: String) {
        self.table = table
        self.column = column
    }

    /// Parses `table.column`; nil when the text is not of this form.
    package init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty }) else { return nil }
        self.init(table: String(parts[0]), column: String(parts[1]))
    }

    /// `table.column`.
    package var description: String { "\(table).\(column)" }
}
