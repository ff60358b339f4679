import Conditions
import Retention
import SQLite

/// The table in which a rule leaves a tombstone of each deleted row, checked.
struct TombstoneTable: Equatable {
    let table: TableSchema
    private let of: TableSchema
    private let columns: [Tombstone.CopiedColumn]
    /// What tells which tombstone is there already.
    private let key: Key
    /// Only deleted rows of which it is true get a tombstone.
    let condition: RowCondition?

    /// Nil if the rule leaves none. Throws a ``SchemaMismatch`` if the tombstones do not fit their table.
    init?(of rule: RetentionRule, on rows: TableSchema, in db: Database) throws {
        guard let tombstone = rule.tombstone else { return nil }
        of = rows
        let table = try Self.table(tombstone, of: rows, in: db)
        self.table = table
        columns = try tombstone.columns.map { copied in
            let keys = Self.keys(.columns) + [copied.column]
            return try SchemaMismatch.blaming(keys, copied.source.inQuotes) {
                .init(
                    try Self.writable(copied.column, of: table), from: try rows.required(copied.source).name)
            }
        }
        condition = try tombstone.condition.map {
            try RowCondition($0, keys: Self.keys(.where), on: rows, in: db)
        }
        let given = columns.map { "\($0.column) = \($0.source.inQuotes)" }.joined(separator: ", ")
        key = try SchemaMismatch.blaming(Self.keys(.columns), "{ \(given) }") { [columns] in
            try Self.checkNeeds(columns, of: table, from: rows)
            return try Self.key(
                of: table, givenAll: Set(columns.map(\.column.comparedName)), in: db)
        }
        try SchemaMismatch.blaming(Self.keys(.table), table.name.inQuotes) { try checkReach(in: db) }
    }

    private static func table(
        _ tombstone: Tombstone, of rows: TableSchema, in db: Database
    ) throws -> TableSchema {
        try SchemaMismatch.blaming(keys(.table), tombstone.table.inQuotes) {
            let table = try TableSchema.required(tombstone.table, in: db)
            guard table.name.comparedName != rows.name.comparedName else {
                throw SchemaMismatch(
                    "tombstones cannot be rows of \(rows.name) itself",
                    hint: "to keep rows, use action = { set = … }")
            }
            return table
        }
    }

    /// The keys of a key of the tombstone in the configuration, below the rule.
    private static func keys(_ key: TombstoneKey) -> [String] { [RuleKey.tombstone.rawValue, key.rawValue] }

    private static func writable(_ name: String, of table: TableSchema) throws -> String {
        let column = try table.required(name)
        guard !column.isGenerated else {
            throw SchemaMismatch(
                "\(table.name).\(column.name) is computed and cannot be written",
                hint: "leave it out of the tombstone")
        }
        return column.name
    }

    /// Throws if a column that needs a value gets none.
    private static func checkNeeds(
        _ columns: [Tombstone.CopiedColumn], of table: TableSchema, from rows: TableSchema
    ) throws {
        let given = Set(columns.map(\.column.comparedName))
        let isRowID = { (name: String) in
            !table.isWithoutRowID && table.primaryKey.map(\.comparedName) == [name.comparedName]
        }
        let missing = table.columns.first {
            $0.isNotNull && $0.defaultValue == nil && !$0.isGenerated && !given.contains($0.name.comparedName)
                && !isRowID($0.name)
        }
        guard let missing else { return }
        throw SchemaMismatch(
            "a tombstone in \(table.name) needs a value of \(missing.name)",
            hint: "name the column of \(rows.name) that it copies")
    }

    /// A unique index on columns.
    private struct Key: Equatable {
        let parts: [KeyPart]
        /// Whether it has each tombstone.
        let isWhole: Bool

        var columns: Set<[UInt8]> { Set(parts.map(\.column.comparedName)) }

        /// Whether rows that are the same for `other` are the same for this index, too.
        func isImplied(by other: Key) -> Bool {
            parts.allSatisfy { part in
                other.parts.contains {
                    $0.column.comparedName == part.column.comparedName
                        && ["BINARY".comparedName, part.collation.comparedName].contains(
                            $0.collation.comparedName)
                }
            }
        }
    }

    private struct KeyPart: Equatable {
        let column: String
        let collation: String
    }

    /// The unique index that tells which tombstone is there already. Without one each would be written again and again,
    /// and each deletion would read the whole table. Throws if another one would refuse a tombstone that is not there.
    private static func key(
        of table: TableSchema, givenAll given: Set<[UInt8]>, in db: Database
    ) throws -> Key {
        var all = try db.rows(
            "SELECT name, partial FROM pragma_index_list(:table) WHERE \"unique\"",
            ["table": .text(table.name)]
        ).compactMap { index -> Key? in
            let parts = try db.rows(
                "SELECT name, coll FROM pragma_index_xinfo(:index) WHERE key", ["index": index[0]])
            guard parts.allSatisfy({ $0[0] != .null }) else { return nil }
            return Key(
                parts: parts.map { KeyPart(column: $0[0].string, collation: $0[1].string) },
                isWhole: index[1].integer == 0)
        }
        // A primary key that is the rowid has no index.
        if !table.isWithoutRowID, let name = table.primaryKey.first,
            !all.contains(where: { $0.columns == Set(table.primaryKey.map(\.comparedName)) })
        {
            all.append(Key(parts: [KeyPart(column: name, collation: "BINARY")], isWhole: true))
        }
        let set = all.filter { given.isSuperset(of: $0.columns) }
        let keys = set.filter(\.isWhole)
        guard let first = keys.first else {
            throw SchemaMismatch(
                "no unique index of \(table.name) is on columns of the tombstone alone",
                hint: "name the columns by which its app finds a tombstone")
        }
        if let key = keys.first(where: { set.allSatisfy($0.isImplied) }) { return key }
        let further = set.first { !first.isImplied(by: $0) } ?? first
        let names = further.parts.map(\.column).joined(separator: ", ")
        throw SchemaMismatch(
            "another unique index of \(table.name), on \(names), would refuse tombstones that are not there yet",
            hint: "name only columns of one unique index")
    }

    private func checkReach(in db: Database) throws {
        let reach = try DeleteReach(
            of: insertion(from: "FROM \(of.name.quotedIdentifier) WHERE 0 < 1"), in: db)
        guard
            let first = reach.writes.first(where: {
                $0.table.comparedName != table.name.comparedName || $0.trigger != nil
            })
        else { return }
        throw SchemaMismatch(
            "writing a tombstone would also \(first.operation.rawValue) rows of \(first.table)"
                + (first.trigger.map { " (trigger \($0))" } ?? ""),
            hint: "the table of the tombstones must not have triggers that write")
    }

    /// SQL that writes the tombstones of `rows` ("FROM ... WHERE ...") that are not there yet. `WHERE` before ON CONFLICT
    /// is needed by SQLite's grammar. OR IGNORE would also ignore a failed CHECK, and without the key's columns this
    /// would ignore that another unique index refuses a tombstone. Without OR ABORT, SQLite would obey ON CONFLICT REPLACE
    /// in the schema of the table, and delete other tombstones.
    func insertion(from rows: String) -> String {
        let targets = columns.map(\.column.quotedIdentifier).joined(separator: ", ")
        let sources = columns.map { of.column($0.source) }.joined(separator: ", ")
        let wanted = condition.map { " AND " + $0.isTrue } ?? ""
        let parts = key.parts.map(\.column.quotedIdentifier).joined(separator: ", ")
        return """
            INSERT OR ABORT INTO \(table.name.quotedIdentifier) (\(targets)) SELECT \(sources) \(rows)\(wanted) \
            ON CONFLICT (\(parts)) DO NOTHING
            """
    }

    /// SQL that is true of a row that needs no tombstone, or has one.
    var isThere: String {
        condition.map { "((\($0.isTrue)) IS NOT 1 OR \(exists))" } ?? exists
    }

    /// SQL: 1 if a tombstone of the row is needed and not there yet, else 0.
    var isMissing: String { "iif(\(isThere), 0, 1)" }

    /// SQL: a tombstone has the very values of the row's key. One that only compares equal is another's. An index finds it,
    /// and the table itself has it.
    private var exists: String {
        let (found, row) = (
            "\(of.name) tombstone".quotedIdentifier, "\(of.name) tombstone itself".quotedIdentifier
        )
        let parts = key.parts.compactMap { part in
            columns.first { $0.column.comparedName == part.column.comparedName }.map {
                (column: $0.column.quotedIdentifier, source: of.column($0.source), part.collation)
            }
        }
        let isFound = parts.map {
            "\(found).\($0.column) IS \($0.source) COLLATE \($0.2.quotedIdentifier)"
        }
        let isRow =
            table.key.map { "\(row).\($0.quotedIdentifier) IS \(found).\($0.quotedIdentifier)" }
            + parts.map { "\(row).\($0.column) IS \($0.source) COLLATE BINARY" }
        return """
            EXISTS (SELECT 1 FROM \(table.name.quotedIdentifier) AS \(found) WHERE \(isFound.joined(separator: " AND ")) \
            AND EXISTS (SELECT 1 FROM \(table.name.quotedIdentifier) AS \(row) \(table.looking(into: nil)) \
            WHERE \(isRow.joined(separator: " AND "))))
            """
    }
}
