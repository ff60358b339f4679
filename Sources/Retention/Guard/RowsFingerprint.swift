/// What tells a set of rows from others: how many they are, and the sum of their hashes.
///
/// The order of the rows does not matter, rows that are equal count each, and what is taken out of a set leaves the
/// fingerprint of the rest.
package struct RowsFingerprint: Equatable, Sendable {
    /// How many rows they are.
    package private(set) var rows: Int64
    /// The sum of their hashes, which wraps around.
    package private(set) var sum: UInt64

    package init(rows: Int64 = 0, sum: UInt64 = 0) {
        self.rows = rows
        self.sum = sum
    }

    /// Takes in a row with this hash.
    package mutating func add(_ hash: UInt64) {
        rows += 1
        sum &+= hash
    }

    /// Some rows and others.
    package static func + (some: RowsFingerprint, others: RowsFingerprint) -> RowsFingerprint {
        RowsFingerprint(rows: some.rows + others.rows, sum: some.sum &+ others.sum)
    }

    /// What is left of `all` rows without `some` of them.
    package static func - (all: RowsFingerprint, some: RowsFingerprint) -> RowsFingerprint {
        RowsFingerprint(rows: all.rows - some.rows, sum: all.sum &- some.sum)
    }
}
