/// What one statement on a store depends on in its schema: what a gate must compare.
package struct SchemaUse: Hashable, Sendable {
    /// What happens to rows of a table.
    package enum Event: String, Sendable {
        case delete, insert, update
    }

    /// A table whose rows the statement changes.
    package struct Change: Hashable, Sendable {
        package let table: String
        package let event: Event
        /// The columns that an update sets; empty: any.
        package var columns: [String] = []

        package init(table: String, event: Event, columns: [String] = []) {
            (self.table, self.event, self.columns) = (table, event, columns)
        }
    }

    /// The table whose rows are judged. A new column of it may say which of them matter; nil if no row is judged.
    package let judged: String?
    /// Triggers and foreign keys may act on each of these.
    package let changes: [Change]
    /// The columns of ``judged`` that settings name. One of that name in another table decides nothing.
    package let judgedColumns: [String]
    /// The tables that settings name, and columns of others than ``judged``.
    package let names: [String]
    /// SQL; the names in it are used, too.
    package let conditions: [String]
    /// The table of the tombstones; its keys say which of them are there already.
    package let tombstones: String?

    /// What a run of `rule` uses.
    package init(_ rule: RetentionRule) {
        judged = rule.table
        let tombstone = rule.tombstone
        let own =
            rule.action.isMark
            ? Change(table: rule.table, event: .update, columns: rule.action.columns)
            : Change(table: rule.table, event: .delete)
        changes = [own] + [tombstone.map { Change(table: $0.table, event: .insert) }].compactMap(\.self)
        judgedColumns =
            [rule.expiry.column].compactMap(\.self) + rule.keepLastPer + rule.action.columns + rule.identity
            + (tombstone?.columns ?? []).map(\.source)
        names =
            [rule.table] + [tombstone?.table].compactMap(\.self) + rule.dependents
            + (rule.keptBy + rule.dependentColumns + rule.detach).flatMap { [$0.table, $0.column] }
            + (tombstone?.columns ?? []).map(\.column)
        let owner = rule.orphansOf.map { [$0.hasOwner(in: rule.table)] } ?? []
        conditions = owner + [rule.condition, tombstone?.condition].compactMap(\.self) + rule.protect
        tombstones = tombstone?.table
    }

    /// What it uses to put deleted rows of `table` back, or to take marks away from them, and their tombstones.
    package init(restoring table: String, action: RowAction, tombstones: String?) {
        judged = nil
        changes =
            [Change(table: table, event: action.isMark ? .update : .insert, columns: action.columns)]
            + [tombstones.map { Change(table: $0, event: .delete) }].compactMap(\.self)
        (judgedColumns, names, conditions, self.tombstones) = ([], [], [], nil)
    }
}
