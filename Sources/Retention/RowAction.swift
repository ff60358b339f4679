/// What a rule does with an expired row.
package enum RowAction: Codable, Hashable, Sendable {
    /// The row is deleted.
    case delete
    /// The row stays, and its columns get these values, sorted by column. Its app treats such a row as deleted.
    case mark([MarkedColumn])

    /// Whether rows stay, with other values.
    package var isMark: Bool { self != .delete }

    /// The names of the columns that a mark sets.
    package var columns: [String] {
        if case .mark(let columns) = self { columns.map(\.column) } else { [] }
    }

    /// What a run does with the row, for people: `delete` or `mark`.
    package var infinitive: String { isMark ? "mark" : "delete" }
}

/// A column that a mark sets.
package struct MarkedColumn: Codable, Hashable, Sendable {
    package let column: String
    package let value: ColumnConstant

    package init(_ column: String, _ value: ColumnConstant) {
        (self.column, self.value) = (column, value)
    }
}

/// A value in a configuration file that is written into a column.
package enum ColumnConstant: Codable, Hashable, Sendable {
    case integer(Int64)
    case real(Double)
    case text(String)
}

/// A row of another table by which an app remembers a deleted row, so that it does not fetch it again.
package struct Tombstone: Codable, Hashable, Sendable {
    /// The table of the tombstones.
    package let table: String
    /// Its columns, sorted, each with the column of the deleted row that it copies.
    package let columns: [CopiedColumn]
    /// SQL: only deleted rows of which it is true get a tombstone. Nil: all.
    package let condition: String?

    /// A column of the tombstone, and the column of the deleted row whose value it gets.
    package struct CopiedColumn: Codable, Hashable, Sendable {
        package let column: String
        package let source: String

        package init(_ column: String, from source: String) {
            (self.column, self.source) = (column, source)
        }
    }

    package init(table: String, columns: [CopiedColumn], condition: String?) {
        self.table = table
        self.columns = columns.sorted { $0.column < $1.column }
        self.condition = condition
    }
}
