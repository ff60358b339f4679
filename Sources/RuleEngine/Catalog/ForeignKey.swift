import Retention

/// A foreign key that the store enforces, or a reference that a rule declares: rows of one table, the child, refer to rows of
/// another, the parent.
package struct ForeignKey: Hashable, Sendable {
    /// Nil where the catalog has none.
    package let name: String?
    package let child: TableName
    package let childColumns: [String]
    package let parent: TableName
    package let parentColumns: [String]
    package let onDelete: StoreSchema.ForeignKey.Action
    /// Whether a rule declares it. What it does with a deleted row, the run does itself, before the row is deleted.
    package let isDeclared: Bool

    package init(
        _ name: String? = nil, of child: TableName, _ childColumns: [String], to parent: TableName,
        _ parentColumns: [String], onDelete: StoreSchema.ForeignKey.Action
    ) {
        (self.name, self.child, self.childColumns) = (name, child, childColumns)
        (self.parent, self.parentColumns, self.onDelete) = (parent, parentColumns, onDelete)
        isDeclared = false
    }

    init(
        declared child: TableName, _ childColumns: [String], to parent: TableName, _ parentColumns: [String],
        onDelete: StoreSchema.ForeignKey.Action
    ) {
        (name, self.child, self.childColumns) = (nil, child, childColumns)
        (self.parent, self.parentColumns, self.onDelete, isDeclared) = (parent, parentColumns, onDelete, true)
    }

    /// Whether a deleted parent row takes the rows that refer to it along.
    package var cascades: Bool { onDelete == .cascade }
    /// Whether a deleted parent row changes the rows that refer to it; else it cannot go while they are there.
    package var acts: Bool { onDelete != .none && onDelete != .restrict }

    /// Whether it refers to the primary key of `table` by one column, as `kept_by` does.
    package func refers(toKeyOf table: Table) -> Bool {
        parent == table.name && childColumns.count == 1 && parentColumns == table.primaryKey
    }
}
