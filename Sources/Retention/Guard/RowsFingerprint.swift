/// Identifies a set of rows by their number and the sum of their hashes.
///
/// It does not depend on the order of the rows. Equal rows count separately. Subtracting the fingerprint of some rows
/// leaves that of the rest.
package struct RowsFingerprint: Codable, Equatable, Sendable {
    /// The number of rows.
    package private(set) var rows: Int64
    /// The sum of their hashes, modulo 2^64.
    package private(set) var sum: UInt64

    package init(rows: Int64 = 0, sum: UInt64 = 0) {
        self.rows = rows
        self.sum = sum
    }

    /// Adds a row with this hash.
    package mutating func add(_ hash: UInt64) {
        rows += 1
        sum &+= hash
    }

    /// The fingerprint of both sets of rows together.
    package static func + (some: RowsFingerprint, others: RowsFingerprint) -> RowsFingerprint {
        RowsFingerprint(rows: some.rows + others.rows, sum: some.sum &+ others.sum)
    }

    /// The fingerprint of `all` without `some`, which must be a subset.
    package static func - (all: RowsFingerprint, some: RowsFingerprint) -> RowsFingerprint {
        RowsFingerprint(rows: all.rows - some.rows, sum: all.sum &- some.sum)
    }
}
