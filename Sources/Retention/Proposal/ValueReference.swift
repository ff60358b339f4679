/// A column whose values are keys of another table, though no foreign key says so.
package struct ValueReference: Hashable, Sendable {
    package let table: String
    package let column: String
    /// The table whose keys they are.
    package let target: String
    /// Whether the column is the key of its own table: a row there for each row here.
    package let isKey: Bool
    /// Whether nearly all rows of the target are referred to.
    package let coversTarget: Bool
    /// Whether they could be its keys by chance, as small numbers are.
    package let isChance: Bool

    package init(
        table: String, column: String, target: String, isKey: Bool = false, coversTarget: Bool = false,
        isChance: Bool = false
    ) {
        (self.table, self.column, self.target) = (table, column, target)
        (self.isKey, self.coversTarget, self.isChance) = (isKey, coversTarget, isChance)
    }
}
