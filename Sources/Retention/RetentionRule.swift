/// Which rows of one table expire, and how often to prune them.
package struct RetentionRule: Codable, Hashable, Sendable {
    /// Unique in its policy.
    package var name: Name
    /// The store of ``table``.
    package var store: Name
    /// The table whose rows expire.
    package var table: String
    /// What makes a row of ``table`` expire.
    package var expiry: Expiry
    /// How the time column stores times.
    package var time: TimeFormat
    /// The interval after which the rule is due again.
    package var every: Span
    /// The hours in which the service runs the rule; nil: at any time.
    package var between: DailyHours?
    /// The longest that one run of the rule may take; nil: as long as it needs.
    package var maxRun: Span?
    /// SQL: only rows of which it is true expire. Nil: all rows.
    package var condition: String?
    /// SQL: a row stays if one of them is true, or unknown (NULL), of it.
    package var protect: [String]
    /// Tables whose rows are deleted together with the row of ``table`` that they belong to.
    package var dependents: Set<String>
    /// The columns of other tables that have the key of the row to which their row belongs, though no foreign key may say
    /// so. Their tables are among ``dependents``.
    package var dependentColumns: [ColumnReference] = []
    /// The columns that refer to a deleted row, and become NULL with it.
    package var detach: [ColumnReference] = []
    /// The columns of the keepers: a row stays while its key occurs in one of them.
    package var keptBy: [ColumnReference]
    /// Only rows expire whose column refers to a row that is not there; nil: all rows may.
    package var orphansOf: OwnerReference? = nil
    /// How many of the newest rows, by the time column, never expire; at least 1. Nil: none.
    package var keepLast: Int64?
    /// The columns that form the groups in each of which ``keepLast`` counts; empty: the table is one group.
    package var keepLastPer: [String]
    /// What is done with an expired row.
    package var action: RowAction
    /// What the store's app must remember of a deleted row.
    package var tombstone: Tombstone?
    /// The columns by which a row is recognized when it comes back under another key; empty: unknown.
    package var identity: [String]
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
    /// What is done with a partition whose rows have all expired; nil: its rows are deleted like others.
    package var partitions: PartitionAction?

    /// Parameters that are left out get the documented defaults, and `holdLimits` those of ``HoldLimits/standard`` as
    /// inherited by the expiry.
    package init(
        name: Name, store: Name, table: String, expiry: Expiry, time: TimeFormat = TimeFormat(),
        every: Span = Self.defaultEvery, condition: String? = nil, protect: [String] = [],
        dependents: Set<String> = [], keptBy: [ColumnReference] = [], keepLast: Int64? = nil,
        keepLastPer: [String] = [], action: RowAction = .delete, tombstone: Tombstone? = nil,
        identity: [String] = [], sourceWindow: Span? = nil, holdLimits: HoldLimits? = nil,
        archiveKeep: Span? = nil, isQuiet: Bool = false, partitions: PartitionAction? = nil
    ) {
        self.name = name
        self.store = store
        self.table = table
        self.expiry = expiry
        self.time = time
        self.every = every
        self.condition = condition
        self.protect = protect
        self.dependents = dependents
        self.keptBy = keptBy
        self.keepLast = keepLast
        self.keepLastPer = keepLastPer
        self.action = action
        self.tombstone = tombstone
        self.identity = identity
        self.sourceWindow = sourceWindow
        self.holdLimits = holdLimits ?? .standard.inherited(by: expiry)
        self.archiveKeep = archiveKeep
        self.isQuiet = isQuiet
        self.partitions = partitions
    }

    /// Whether runs look for rows that came back.
    package var isLookedFor: Bool { !identity.isEmpty && archiveKeep != nil }

    /// The interval of a rule that sets none.
    package static let defaultEvery = Span(1, .day)
    /// How long rows are archived if a rule archives but sets no period.
    package static let defaultArchiveKeep = Span(30, .day)
}

/// The column of a rule's table that has keys of another table, and that key.
package struct OwnerReference: Codable, Hashable, Sendable {
    package let column: String
    package let key: ColumnReference

    package init(column: String, key: ColumnReference) { (self.column, self.key) = (column, key) }

    /// A condition of the rule's table, whose name without a schema is `table`, that is false of a row whose owner is not there. NULL refers to nothing, and is no
    /// orphan.
    package func hasOwner(in table: String) -> String {
        let (column, owner) = (column.nameInSQL, key.table.split(separator: ".").map { String($0).nameInSQL })
        let row = table.nameInSQL
        return """
            \(row).\(column) IS NULL OR EXISTS (SELECT 1 FROM \(owner.joined(separator: ".")) AS pruned_owner \
            WHERE pruned_owner.\(key.column.nameInSQL) = \(row).\(column))
            """
    }
}

/// A column of a table, written `table.column`. The table of a PostgreSQL store may be `schema.table`.
package struct ColumnReference: Codable, Hashable, Sendable, CustomStringConvertible {
    package let table: String
    package let column: String

    package init(table: String, column: String) {
        self.table = table
        self.column = column
    }

    /// Parses `table.column` or `schema.table.column`; nil when the text is neither. Names of tables may have dots, those of
    /// columns may not.
    package init?(_ text: String) {
        guard let dot = text.lastIndex(of: ".") else { return nil }
        let (table, column) = (text[..<dot], text[text.index(after: dot)...])
        let parts = table.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.allSatisfy({ !$0.isEmpty }), !column.isEmpty else { return nil }
        self.init(table: String(table), column: String(column))
    }

    /// Whether ``description`` means this column and no other.
    package var isWritable: Bool { ColumnReference(description) == self }

    /// `table.column`.
    package var description: String { "\(table).\(column)" }
}
