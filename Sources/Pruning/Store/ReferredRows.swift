import TerminalText

/// Expired rows that stay, because rows of the same table that stay refer to them by a foreign key.
package struct ReferredRows {
    private let rows: Int64
    private let table: String
    private let columns: String

    package init(_ rows: Int64, of table: String, by columns: String) {
        (self.rows, self.table, self.columns) = (rows, table, columns)
    }

    /// For a person who looks before a run.
    package var remark: String {
        "\(rows.grouped) expired rows of \(table) stay: rows that stay refer to them by \(columns), which only the app"
            + " can clear"
    }
}
