import Archive
import Pruning
import SQLite

/// The current state of the table of a SQLite file into which archived rows are to be put.
struct RestoreTable: RestoreTarget {
    private let db: Database
    let table: TableSchema
    /// The columns for which the archived rows have values, with the table's spelling.
    let columns: [String]
    /// Whether each archived row begins with a rowid, which is not one of `columns`.
    private let hasRowID: Bool
    /// The positions of the primary key in `columns`; nil if there is no primary key or part of it is missing.
    private let keyColumns: [Int]?
    /// The keys that must be unique when a row is inserted. Partial indexes are left out.
    private let uniqueKeys: [[(column: String, collation: String)]]
    /// Nil if the rows were deleted.
    private let marks: MarkRemoval?
    /// Nil if there are no tombstones.
    private let tombstones: TombstoneRemoval?

    /// Throws ``NoTarget`` if the table or a column no longer exists, and a ``StoreError`` if an INSERT would change more
    /// than the table.
    init(_ name: String, for rows: ArchivedRows, place: String, in db: Database) throws {
        self.db = db
        guard let table = try TableSchema(name, in: db) else { throw NoTarget(.tableGone) }
        self.table = table
        hasRowID = rows.hasPlace
        columns = try rows.columns.dropFirst(hasRowID ? 1 : 0).map { name in
            guard let column = table.columnNamed(name), !column.isGenerated else {
                throw NoTarget(.columnGone)
            }
            return column.name
        }
        let compared = columns.map(\.comparedName)
        guard Set(compared).count == compared.count else { throw NoTarget(.damaged) }
        let keyColumns = table.primaryKey.compactMap { compared.firstIndex(of: $0.comparedName) }
        self.keyColumns = keyColumns.count == table.primaryKey.count && !keyColumns.isEmpty ? keyColumns : nil
        uniqueKeys = try Self.uniqueKeys(of: table, in: db)
        let witness = try rows.witness.map { name in
            guard let column = table.columnNamed(name) else { throw NoTarget(.columnGone) }
            return column.name
        }
        if !witness.isEmpty { try RowWitness.define(in: db) }
        marks = MarkRemoval(rows.action, columns, witness: witness, on: table)
        tombstones = try rows.tombstone.flatMap { [columns] in
            try TombstoneRemoval(of: $0, columns: columns, place: place, in: db)
        }
        let reach = try DeleteReach(of: marks?.statement ?? insertion(withRowID: false), in: db)
        let others = reach.writes.filter {
            $0.table.comparedName != table.name.comparedName || $0.trigger != nil
        }
        let triggers = marks == nil ? Set(others.compactMap(\.trigger)) : []
        let told = try triggers.reduce(into: [String: String]()) {
            $0[$1] = try IndexTrigger.index(of: $1, at: .insert, on: table, in: db)
        }
        let strangers = others.filter { $0.trigger.map { told[$0] == nil } ?? true }
        if let other = strangers.min(by: { $0.table < $1.table }) {
            throw StoreError(
                .unsafe, operation: "put rows back into \(table.name)", place: place,
                cause: "that would also \(other.operation.rawValue) rows of \(other.table)"
                    + (other.trigger.map { " (trigger \($0))" } ?? ""),
                hint: "drop the trigger, restore, and create it again; the rows stay in the archive meanwhile"
            )
        }
        let indexes = Set(told.values.map(\.comparedName))
        if marks == nil, let found = try ExternalContent.reading([table.name], besides: indexes, in: db) {
            throw StoreError(
                .unsafe, operation: "put rows back into \(table.name)", place: place,
                cause:
                    "the full-text index \(found.index) has its content in \(found.source) and is not updated",
                hint: "drop the index, restore, and create it again; the rows stay in the archive meanwhile")
        }
        guard try db.value("PRAGMA encoding").string == "UTF-8" else {
            throw StoreError(
                .unsupported, operation: "put rows back into \(table.name)", place: place,
                cause: "the store's text encoding is UTF-16, and was not when the rows were archived",
                hint: "restore into a copy of the store that has PRAGMA encoding = 'UTF-8'")
        }
    }

    private static func uniqueKeys(
        of table: TableSchema, in db: Database
    ) throws -> [[(column: String, collation: String)]] {
        let indexes = try db.rows(
            "SELECT name, origin FROM pragma_index_list(:table) WHERE \"unique\" AND NOT partial",
            ["table": .text(table.name)])
        var keys = try indexes.map { index in
            try db.rows("SELECT name, coll FROM pragma_index_xinfo(:index) WHERE key", ["index": index[0]])
                .map { ($0[0].string, $0[1].string) }
        }
        // A primary key that is the rowid has no index.
        if !indexes.contains(where: { $0[1].string == "pk" }), !table.primaryKey.isEmpty {
            keys.append(table.primaryKey.map { ($0, "BINARY") })
        }
        return keys
    }

    /// Puts a row back; nil if an existing row conflicts with it.
    ///
    /// A row without a complete key gets its old rowid if that is free, else a new one. Such a rowid carries no data.
    func put(_ row: [ArchivedValue]) throws -> PutRow? {
        let values = values(of: row)
        let inserted = try marks.map { try remove($0, row) } ?? insert(row, values)
        if inserted != nil, row.last == .integer(1) { try tombstones?.run(values, in: db) }
        return inserted
    }

    private func remove(_ marks: MarkRemoval, _ row: [ArchivedValue]) throws -> PutRow? {
        try changed(marks.statement, witnessed(row)).map { PutRow(fingerprint: $0) }
    }

    /// The parameters of ``marks``. The hash, if there is one, stands behind the values of the columns.
    private func witnessed(_ row: [ArchivedValue]) -> [String: DatabaseValue] {
        Self.bound(values(of: row)).merging(["witness": row.last?.bound ?? .null]) { $1 }
    }

    private func insert(_ row: [ArchivedValue], _ values: ArraySlice<ArchivedValue>) throws -> PutRow? {
        guard lacksKey(values) else {
            return try insert(values, rowID: nil).map { PutRow(fingerprint: $0) }
        }
        var fingerprint: UInt64?
        if let rowID = rowID(of: row) { fingerprint = try insert(values, rowID: rowID) }
        if fingerprint == nil { fingerprint = try insert(values, rowID: nil) }
        return fingerprint.map { PutRow(fingerprint: $0, rowID: db.lastInsertedRowID) }
    }

    private func insert(_ row: ArraySlice<ArchivedValue>, rowID: Int64?) throws -> UInt64? {
        var bound = Self.bound(row)
        bound["rowid"] = rowID.map { .int64($0) }
        return try changed(insertion(withRowID: rowID != nil), bound)
    }

    /// The fingerprint of the row that `statement` changed; nil if it changed none.
    private func changed(_ statement: String, _ values: [String: DatabaseValue]) throws -> UInt64? {
        let key = table.leaseKey.map { "+" + $0.quotedIdentifier }  // for the `+`, see Archiving
        let (bytes, count) = try db.encodedRows(
            "\(statement) RETURNING \(key.joined(separator: ", "))", values)
        guard count > 0 else { return nil }
        let values = try RowEncoding.rows(in: bytes, columns: key.count).joined()
        return Leases.fingerprint(of: Self.key(values))
    }

    private func insertion(withRowID: Bool) -> String {
        let names = (withRowID ? table.key : []) + columns
        let values = (withRowID ? [":rowid"] : []) + columns.indices.map { ":v\($0)" }
        return """
            INSERT OR ABORT INTO \(table.name.quotedIdentifier) \
            (\(names.map(\.quotedIdentifier).joined(separator: ", "))) VALUES (\(values.joined(separator: ", "))) \
            ON CONFLICT DO NOTHING
            """
    }

    /// Why ``put(_:)`` would not put `row` back: a row that exists conflicts with it, or the row that was marked no
    /// longer has the mark, or is gone. Nil if nothing of the kind is found.
    func obstacle(to row: [ArchivedValue]) throws -> RestoreSkip? {
        guard let marks else { return try conflicts(values(of: row)) ? .exists : nil }
        let values = witnessed(row)
        guard try db.row(marks.stands, values) == nil else { return nil }
        return try db.row(marks.exists, values) == nil ? .gone : .unmarked
    }

    private func conflicts(_ row: ArraySlice<ArchivedValue>) throws -> Bool {
        let parameters = Dictionary(uniqueKeysWithValues: zip(columns.map(\.comparedName), columns.indices))
        return try uniqueKeys.contains { key in
            let terms = key.compactMap { part in
                parameters[part.column.comparedName].map { index in
                    "\(table.column(part.column)) = :v\(index) COLLATE \(part.collation.quotedIdentifier)"
                }
            }
            guard terms.count == key.count else { return false }
            let query =
                "SELECT 1 FROM \(table.name.quotedIdentifier) WHERE \(terms.balanced("AND")) LIMIT 1"
            return try db.row(query, Self.bound(row)) != nil
        }
    }

    /// What a row without a complete key needs, for ``put(_:)`` cannot notice that such a row exists already. Looks only at
    /// the places where it may have been put.
    func whereabouts(
        of position: Int, in batch: RestoreBatch, besides back: [Int]
    ) throws -> RestoreWhereabouts {
        let row = batch.rows[position]
        guard marks == nil, lacksKey(values(of: row)) else { return .unknown }
        if try batch.archived.places[position].contains(where: { try isRow(row, at: $0) }) {
            return .returned
        }
        guard !batch.archived.isDeleted, let rowID = rowID(of: row), try isRow(row, at: rowID) else {
            return .unknown
        }
        return .neverLeft
    }

    /// Whether the row with this rowid has all the values of `row`.
    private func isRow(_ row: [ArchivedValue], at rowID: Int64) throws -> Bool {
        let selection = columns.map { "+" + table.column($0) }.joined(separator: ", ")
        let (bytes, count) = try db.encodedRows(
            """
            SELECT \(selection) FROM \(table.name.quotedIdentifier) WHERE \(table.keySQL) = :rowid
            """, ["rowid": .int64(rowID)])
        guard count > 0 else { return false }
        return try Self.key(RowEncoding.rows(in: bytes, columns: columns.count).joined())
            == Self.key(values(of: row))
    }

    /// SQLite undoes a statement that a constraint ends. Where a tombstone is removed as well, a savepoint undoes the row.
    func attempt(_ body: () throws -> RestoreOutcome) throws -> RestoreOutcome? {
        if tombstones != nil { try db.execute("SAVEPOINT pruned") }
        do {
            let outcome = try body()
            if tombstones != nil { try db.execute("RELEASE pruned") }
            return outcome
        } catch let error as DatabaseError where error.isConstraint && db.isInTransaction {
            if tombstones != nil {
                try db.execute("ROLLBACK TO pruned")
                try db.execute("RELEASE pruned")
            }
            return error.isForeignKey ? nil : .stays(.refused)
        }
    }

    /// Without the rowid, and without what is said of the tombstone.
    private func values(of row: [ArchivedValue]) -> ArraySlice<ArchivedValue> {
        row.dropFirst(hasRowID ? 1 : 0).prefix(columns.count)
    }

    private func rowID(of row: [ArchivedValue]) -> Int64? {
        guard hasRowID, case .integer(let rowID) = row.first else { return nil }
        return rowID
    }

    /// Whether only the rowid distinguishes the row from others. SQLite allows NULL in a primary key, in any number of
    /// rows.
    private func lacksKey(_ row: ArraySlice<ArchivedValue>) -> Bool {
        guard !table.isWithoutRowID else { return false }
        return keyColumns?.contains { row[row.startIndex + $0] == .null } ?? true
    }

    private static func key(_ values: some Sequence<ArchivedValue>) -> [UInt8] {
        var encoded: [UInt8] = []
        for value in values { RowEncoding.appendKey(value, to: &encoded) }
        return encoded
    }

    private static func bound(_ row: ArraySlice<ArchivedValue>) -> [String: DatabaseValue] {
        Dictionary(uniqueKeysWithValues: zip(row.indices, row).map { ("v\($0 - row.startIndex)", $1.bound) })
    }
}
