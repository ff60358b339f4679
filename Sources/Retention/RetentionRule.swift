/// What expires in one table of one store, and how often to look.
package struct RetentionRule: Hashable, Sendable {
    /// Unique in its policy.
    package var name: Name
    /// The store that holds ``table``.
    package var store: Name
    /// The table whose rows expire.
    package var table: String
    /// What makes a row of ``table`` expire.
    package var expiry: Expiry
    /// The unit of the time column.
    package var unit: TimeUnit
    /// How long after a run the next one is due.
    package var every: Span
    /// Tables whose rows go with a row of ``table`` because they belong to it.
    package var dependents: Set<String>
    /// The column whose values keep rows of this rule: a row stays while its key stands there.
    package var keptBy: ColumnReference?
    /// How many of the newest rows, by the time column, never expire; nil: none. At least 1.
    package var keepLast: Int64?
    /// Of an age rule: how far back the store's source may deliver rows again. A row that is deleted sooner comes back
    /// as if it were new.
    package var sourceWindow: Span?
    /// When the rule must wait for a person.
    package var holdLimits: HoldLimits
    /// How long a deleted row is kept in the archive, from which it can be put back; nil: it is gone for good.
    package var archiveKeep: Span?
    /// Whether the store's app does not wait for a lock, and the rule hardly ever has it: batches of a millisecond, with the
    /// lock free for nearly all of the time.
    package var isQuiet: Bool

    /// See the properties; what is left out has the documented default, and limits are those of ``HoldLimits/standard``
    /// that the expiry inherits.
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

    /// The unit of a rule that does not say one.
    package static let defaultUnit = TimeUnit.seconds
    /// The interval of a rule that does not say one.
    package static let defaultEvery = Span(1, .day)
    /// How long a rule that archives, and does not say how long, keeps what it deleted.
    package static let defaultArchiveKeep = Span(30, .day)
}

/// A column of a table, written `table.column`.
package struct ColumnReference: Hashable, Sendable, CustomStringConvertible {
    /// The table, as the store names it.
    package let table: String
    /// The column, as the table names it.
    package let column: String

    /// The column `column` of `table`.
    package init(table: String, column: String) {
        self.table = table
        self.column = column
    }

    /// Reads `table.column`; nil when the text is not of this form.
    package init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty }) else { return nil }
        self.init(table: String(parts[0]), column: String(parts[1]))
    }

    /// `table.column`.
    package var description: String { "\(table).\(column)" }
}
