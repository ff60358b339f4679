/// What a catalog says of one table, as far as rules need it. All names are written as the catalog has them.
package struct Table: Equatable, Sendable {
    package struct Column: Equatable, Sendable {
        package let name: String
        package let isGenerated: Bool
        package let isNullable: Bool
        /// Whether each row that is inserted must name a value.
        package let needsValue: Bool
        /// Of two columns with the same text, equal values are the same row to any comparison.
        package let comparison: String

        package init(
            _ name: String, isGenerated: Bool, isNullable: Bool = true, needsValue: Bool, comparison: String
        ) {
            (self.name, self.isGenerated, self.isNullable) = (name, isGenerated, isNullable)
            (self.needsValue, self.comparison) = (needsValue, comparison)
        }
    }

    /// A unique index on columns, none of them an expression.
    package struct UniqueIndex: Equatable, Sendable {
        package struct Part: Equatable, Sendable {
            package let column: String
            /// Nil if texts that differ in any byte are different.
            package let collation: String?

            package init(_ column: String, collation: String? = nil) {
                (self.column, self.collation) = (column, collation)
            }
        }

        package let parts: [Part]
        /// Whether it has each row, and is checked at once.
        package let isWhole: Bool

        package init(_ parts: [Part], isWhole: Bool) { (self.parts, self.isWhole) = (parts, isWhole) }

        package var columns: [String] { parts.map(\.column) }

        /// Whether rows that are the same for `other` are the same for this index, too.
        func isImplied(by other: UniqueIndex) -> Bool {
            parts.allSatisfy { part in
                other.parts.contains {
                    $0.column == part.column && [nil, part.collation].contains($0.collation)
                }
            }
        }
    }

    package let name: TableName
    package var columns: [Column] = []
    package var primaryKey: [String] = []
    /// Whether the primary key names each row: it has no NULL.
    package var hasKey = false
    /// What orders or identifies rows besides the primary key: a place that has a name.
    package var locator: [String] = []
    package var uniqueIndexes: [UniqueIndex] = []
    /// The columns of which a row's values may not be those of another row.
    package var uniqueColumns: Set<String> = []
    /// Its partitions and the tables that inherit from it, and theirs.
    package var parts: Set<TableName> = []
    package var isPartition = false
    /// The table from which it inherits, whose readers see its rows.
    package var ancestor: TableName?
    /// Whether other tables inherit from it, apart from partitions.
    package var hasHeirs = false

    package init(_ name: TableName) { self.name = name }

    package func column(_ name: String) -> Column? { columns.first { $0.name == name } }
}
