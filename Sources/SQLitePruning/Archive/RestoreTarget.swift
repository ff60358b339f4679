import Foundation
import Pruning
import Retention

/// A table as it is now, for rows of the archive that are to be put into it.
struct RestoreTarget {
    let table: TableSchema
    /// The columns that the rows have values for, as the table spells them.
    let columns: [String]
    /// Whether the first of them is the rowid of a table without a key.
    private let hasRowID: Bool

    /// Why no row of these columns can be put into the table.
    struct Gone: Error {
        let reason: RestoreReport.Skip
    }

    /// Throws ``Gone`` when the table or a column is gone, and a ``StoreError`` when an INSERT would reach more than the
    /// table.
    init(_ name: String, columns archived: [String], place: String, in db: Database) throws {
        guard let table = try TableSchema(name, in: db) else { throw Gone(reason: .tableGone) }
        self.table = table
        let rowID = table.primaryKey.isEmpty ? table.key.first : nil
        let hasRowID = rowID != nil && archived.first == rowID && table.columnNamed(archived[0]) == nil
        self.hasRowID = hasRowID
        columns = try archived.enumerated().map { index, name in
            if index == 0, hasRowID { return name }
            guard let column = table.columnNamed(name), !column.isGenerated else {
                throw Gone(reason: .columnGone)
            }
            return column.name
        }
        let parameters = columns.indices.map { ":v\($0)" }
        let reach = try DeleteReach(of: insertion(columns, parameters), in: db)
        let others = reach.writes.filter {
            $0.table.comparedName != table.name.comparedName || $0.trigger != nil
        }
        if let other = others.min(by: { $0.table < $1.table }) {
            throw StoreError(
                .unsafe, operation: "put rows back into \(table.name)", place: place,
                cause: "that would also \(other.operation.rawValue) rows of \(other.table)"
                    + (other.trigger.map { " (trigger \($0))" } ?? ""),
                hint: "drop the trigger, restore, and create it again; the rows stay in the archive meanwhile"
            )
        }
        guard try db.value("PRAGMA encoding").string == "UTF-8" else {
            throw StoreError(
                .unsupported, operation: "put rows back into \(table.name)", place: place,
                cause: "the store keeps text as UTF-16, and did not when the rows were archived",
                hint: "restore into a copy of the store that has PRAGMA encoding = 'UTF-8'")
        }
    }

    private func insertion(_ columns: [String], _ values: [String]) -> String {
        """
        INSERT OR ABORT INTO \(table.name.quotedIdentifier) \
        (\(columns.map(\.quotedIdentifier).joined(separator: ", "))) VALUES (\(values.joined(separator: ", "))) \
        ON CONFLICT DO NOTHING
        """
    }

    /// Puts a row back; its fingerprint, or nil when a row is there that it would be in conflict with.
    func insert(_ row: [ArchivedValue], in db: Database) throws -> UInt64? {
        // Nothing is in conflict with it then, not even itself, where a restore that was killed has put it back.
        if !hasRowID, !hasWholeKey(row), try holds(row, in: db) { return nil }
        if let fingerprint = try insert(columns, row, in: db) { return fingerprint }
        // A rowid says nothing of its row: the app may have given it to another one.
        guard hasRowID, try !holds(row, in: db) else { return nil }
        return try insert(Array(columns.dropFirst()), Array(row.dropFirst()), in: db)
    }

    private func insert(_ columns: [String], _ row: [ArchivedValue], in db: Database) throws -> UInt64? {
        let values = row.enumerated().map { $1.sql("v\($0)") }
        let key = table.leaseKey.map { "+" + $0.quotedIdentifier }  // see Archiving
        let (bytes, count) = try db.encodedRows(
            "\(insertion(columns, values)) RETURNING \(key.joined(separator: ", "))", Self.bound(row))
        guard count > 0 else { return nil }
        var encoded: [UInt8] = []
        for value in try RowEncoding.rows(in: bytes, columns: key.count).joined() {
            RowEncoding.appendKey(value, to: &encoded)
        }
        return Leases.fingerprint(of: encoded)
    }

    /// Whether the table has a primary key, and `row` a value for all of it. SQLite lets a key be NULL, in any number of
    /// rows.
    private func hasWholeKey(_ row: [ArchivedValue]) -> Bool {
        let key = Set(table.primaryKey.map(\.comparedName))
        let values = zip(columns, row).filter { key.contains($0.0.comparedName) && $0.1 != .null }
        return !key.isEmpty && values.count == key.count
    }

    /// Whether ``insert(_:in:)-([ArchivedValue],_)`` would find a row there that `row` is in conflict with.
    func refuses(_ row: [ArchivedValue], in db: Database) throws -> Bool {
        let values = Dictionary(uniqueKeysWithValues: zip(columns.map(\.comparedName), row.indices))
        for key in try uniqueKeys(in: db) {
            let terms = key.compactMap { part in
                values[part.column.comparedName].map { index in
                    "\(table.column(part.column)) = \(row[index].sql("v\(index)")) COLLATE "
                        + part.collation.quotedIdentifier
                }
            }
            guard terms.count == key.count else { continue }
            if try exists(terms, row, in: db) { return true }
        }
        guard hasRowID else { return try holds(row, in: db) }
        return try exists(["\(table.column(columns[0])) = :v0"], row, in: db) && holds(row, in: db)
    }

    /// The columns of the table's unique indexes; of those alone that hold all rows, and no expression.
    private func uniqueKeys(in db: Database) throws -> [[(column: String, collation: String)]] {
        try db.rows(
            """
            SELECT name FROM pragma_index_list(:table) WHERE "unique" AND NOT partial AND origin <> 'pk'
            """, ["table": .text(table.name)]
        ).map { index in
            try db.rows("SELECT name, coll FROM pragma_index_xinfo(:index) WHERE key", ["index": index[0]])
                .map { ($0[0].string, $0[1].string) }
        }
    }

    private func exists(_ terms: [String], _ row: [ArchivedValue], in db: Database) throws -> Bool {
        let query =
            "SELECT 1 FROM \(table.name.quotedIdentifier) WHERE \(terms.joined(separator: " AND ")) LIMIT 1"
        return try db.row(query, Self.bound(row)) != nil
    }

    /// Whether a row is there that has the key of `row`, or, where that has none, is the same.
    func holds(_ row: [ArchivedValue], in db: Database) throws -> Bool {
        let hasKey = hasWholeKey(row)
        let key = Set(table.primaryKey.map(\.comparedName))
        let terms = zip(columns, row).enumerated().compactMap { index, pair -> String? in
            guard !hasKey || key.contains(pair.0.comparedName), index > 0 || !hasRowID else { return nil }
            let value = pair.1.sql("v\(index)")
            return table.column(pair.0) + (hasKey ? " = \(value)" : " IS \(value) COLLATE BINARY")
        }
        return try exists(terms, row, in: db)
    }

    private static func bound(_ row: [ArchivedValue]) -> [String: DatabaseValue] {
        Dictionary(uniqueKeysWithValues: row.enumerated().map { ("v\($0)", $1.bound) })
    }
}
