import Retention
import SQLite

/// The table in which a rule leaves a tombstone of each deleted row, checked.
struct TombstoneTable: Equatable {
    let table: TableSchema
    private let of: TableSchema
    private let columns: [Tombstone.CopiedColumn]
    /// Only deleted rows of which it is true get a tombstone.
    private let condition: RowExpression?
    /// What the condition reads; nil without a condition.
    let reader: ExpressionReader?

    /// Nil if the rule leaves none. Throws a ``SchemaMismatch`` if the tombstones do not fit their table.
    init?(of rule: RetentionRule, on rows: TableSchema, in db: Database) throws {
        guard let tombstone = rule.tombstone else { return nil }
        of = rows
        let table = try Self.table(tombstone, of: rows, in: db)
        self.table = table
        columns = try tombstone.columns.map { copied in
            let keys = Self.keys(.columns) + [copied.column]
            return try SchemaMismatch.blaming(keys, copied.source.inDoubleQuotes) {
                .init(
                    try Self.writable(copied.column, of: table), from: try rows.required(copied.source).name)
            }
        }
        condition = tombstone.condition.map(RowExpression.init)
        reader = try tombstone.condition.map { text in
            try ExpressionReader(ExpressionCheck(keys: Self.keys(.where), text: text, table: rows), in: db)
        }
        try SchemaMismatch.blaming(Self.keys(.columns), written) {
            try checkNeeds()
            try checkUnique(in: db)
        }
        try SchemaMismatch.blaming(Self.keys(.table), table.name.inDoubleQuotes) { try checkReach(in: db) }
    }

    private static func table(
        _ tombstone: Tombstone, of rows: TableSchema, in db: Database
    ) throws -> TableSchema {
        try SchemaMismatch.blaming(keys(.table), tombstone.table.inDoubleQuotes) {
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

    /// What the configuration says of the columns, which is to blame if they do not fit together.
    private var written: String {
        let pairs = columns.map { "\($0.column) = \($0.source.inDoubleQuotes)" }
        return "{ \(pairs.joined(separator: ", ")) }"
    }

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
    private func checkNeeds() throws {
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
            hint: "name the column of \(of.name) that it copies")
    }

    /// Throws unless a unique index tells which tombstone is there already. Otherwise each would be written again and
    /// again, and each deletion would read the whole table.
    private func checkUnique(in db: Database) throws {
        let given = Set(columns.map(\.column.comparedName))
        let indexes = try db.rows(
            "SELECT name FROM pragma_index_list(:table) WHERE \"unique\" AND NOT partial",
            ["table": .text(table.name)])
        let keys = try indexes.map { index in
            try db.rows("SELECT name FROM pragma_index_xinfo(:index) WHERE key", ["index": index[0]])
                .map(\.[0].string.comparedName)
        }
        let rowID =
            table.isWithoutRowID || table.primaryKey.isEmpty ? [] : [table.primaryKey.map(\.comparedName)]
        guard (keys + rowID).contains(where: { !$0.isEmpty && given.isSuperset(of: $0) }) else {
            throw SchemaMismatch(
                "no unique index of \(table.name) is on columns of the tombstone alone",
                hint: "name the columns by which its app finds a tombstone")
        }
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
    /// is needed by SQLite's grammar. OR IGNORE would also ignore a failed CHECK.
    func insertion(from rows: String) -> String {
        let targets = columns.map(\.column.quotedIdentifier).joined(separator: ", ")
        let sources = columns.map { of.column($0.source) }.joined(separator: ", ")
        let wanted = condition.map { " AND " + $0.isTrue } ?? ""
        return
            "INSERT INTO \(table.name.quotedIdentifier) (\(targets)) SELECT \(sources) \(rows)\(wanted) ON CONFLICT DO NOTHING"
    }

    /// SQL that is true of a row that needs no tombstone, or has one.
    var isThere: String {
        condition.map { "((\($0.isTrue)) IS NOT 1 OR \(exists))" } ?? exists
    }

    /// SQL: 1 if a tombstone of the row is needed and not there yet, else 0.
    var isMissing: String { "iif(\(isThere), 0, 1)" }

    private var exists: String {
        let row = "\(of.name) tombstone"
        let terms = columns.map {
            "\(row.quotedIdentifier).\($0.column.quotedIdentifier) IS \(of.column($0.source))"
        }
        return """
            EXISTS (SELECT 1 FROM \(table.name.quotedIdentifier) AS \(row.quotedIdentifier) \
            WHERE \(terms.joined(separator: " AND ")))
            """
    }
}
