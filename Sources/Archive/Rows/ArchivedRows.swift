import Retention

/// Rows of one table, in the encoding of their kind of store.
package struct ArchivedRows: Equatable, Sendable {
    /// The kind of store that encoded the rows, and that alone can read them.
    package let encoding: StoreFormat
    /// The stored columns, in the order of each row's values.
    package var columns: [String]
    /// What was done with the rows. Of marked rows, the columns are the key and those that the mark set, with their values
    /// before it.
    package var action: RowAction
    /// The tombstones of deleted rows; nil if there are none. Then a row has one more value: 1 if its tombstone was added
    /// with the deletion, and 0 if it was there before or is not needed.
    package var tombstone: Tombstone?
    /// The columns by whose values a marked row is known to be the same when its mark is taken back. Then a row has one more
    /// value: their hash. Empty if its key alone tells, as in the archives of older versions.
    package var witness: [String] = []
    /// Whether the first column is not a column of the table but the row's place, for a row that may have no key.
    package var hasPlace: Bool
    /// The identity of each row, in the same order; see ``IdentitySource``. Empty if the rule has no identity.
    package var identities: [UInt64] = []
    /// How the identities are made; nil if there are none.
    package var identityKind: UInt64?
    /// The rows, one after another.
    package var bytes: [UInt8]
    /// The number of rows.
    package var count: Int64

    package init(
        columns: [String], action: RowAction = .delete, hasPlace: Bool = false, bytes: [UInt8] = [],
        count: Int64 = 0, encoding: StoreFormat = .sqlite
    ) {
        self.encoding = encoding
        self.columns = columns
        self.action = action
        self.hasPlace = hasPlace
        self.bytes = bytes
        self.count = count
    }
}

extension ArchivedRows {
    /// The number of values of a row.
    private var width: Int { columns.count + (tombstone == nil ? 0 : 1) + (witness.isEmpty ? 0 : 1) }

    /// The values of each row. Throws ``RowEncoding/Unreadable`` if these are not such rows.
    func values() throws(RowEncoding.Unreadable) -> [[ArchivedValue]] {
        let rows =
            switch encoding {
            case .sqlite: try RowEncoding.rows(in: bytes, columns: width)
            case .postgresql, .mariadb: try TextEncoding.rows(in: bytes, columns: width)
            }
        guard rows.count == count else { throw RowEncoding.Unreadable() }
        return rows
    }

    /// Other rows, of which the same is said.
    package func with(_ rows: [[ArchivedValue]]) -> ArchivedRows {
        var copy = self
        (copy.bytes, copy.count) = ([], Int64(rows.count))
        for value in rows.joined() {
            switch encoding {
            case .sqlite: RowEncoding.append(value, to: &copy.bytes)
            case .postgresql, .mariadb: TextEncoding.append(value.bytes, to: &copy.bytes)
            }
        }
        return copy
    }
}
