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
