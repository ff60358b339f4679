import Retention
import RuleEngine
import SQLite

/// The column that a rule's `kept_by` names, and the key that is searched for in it.
struct Keeper: Equatable {
    let table: TableSchema
    let column: String
    let key: String
    /// The searches for the key. If any of them finds the key of a row, that row stays.
    private(set) var searches: [Search] = []

    /// A search for the key with one collation. It names the index that SQLite uses, so that the index can be checked.
    struct Search: Equatable {
        let collation: String
        /// Nil if no index is used: the table is in the order of the column, or is read as a whole.
        let index: String?
        /// Whether the table has so few rows that each statement reads all of them, once.
        var readsAll = false
    }

    /// Throws a ``SchemaMismatch`` if finding a key would read the whole table.
    init(_ bound: BoundKeeper, _ reference: ColumnReference, of kept: TableSchema, in db: Database) throws {
        guard let table = try TableSchema(bound.table.name.name, in: db) else {
            throw SchemaMismatch.gone(bound.table.name.description)
        }
        let (column, key) = (try table.required(bound.column), try kept.required(bound.key))
        (self.table, self.column, self.key) = (table, column.name, key.name)
        if bound.hasForeignKey { try checkAffinity(of: column, key, of: kept, in: db) }
        for collation in collations(of: column, key, of: kept) {
            if let search = try search(by: collation, of: kept, in: db) {
                searches.append(search)
            } else if try db.hasFewRows(table.name) {
                searches.append(Search(collation: collation, index: nil, readsAll: true))
            } else {
                let isOwn = collation.comparedName == column.collation.comparedName
                throw SchemaMismatch(
                    "kept_by = \"\(reference)\" would read the whole of \(table.name) for every row"
                        + (isOwn ? "" : ", for \(kept.name).\(key.name) is compared by \(collation)"),
                    hint: try indexHint(column, by: isOwn ? nil : collation, key, of: kept, in: db),
                    keys: [RuleKey.keptBy.rawValue])
            }
        }
    }

    /// A foreign key takes the number 1 in a column without a type for the key '1', and no comparison of the columns does.
    private func checkAffinity(
        of column: TableSchema.Column, _ key: TableSchema.Column, of kept: TableSchema, in db: Database
    ) throws {
        let isUntyped = column.type.isEmpty || column.type.uppercased().contains("BLOB")
        guard isUntyped, key.holdsNumbersAsText else { return }
        let name = column.name.quotedIdentifier
        let number = try db.row("SELECT 1 FROM \(table.name.quotedIdentifier) WHERE \(name) < '' LIMIT 1")
        guard number != nil else { return }
        throw SchemaMismatch(
            "\(table.name).\(column.name) has numbers, and \(kept.name).\(key.name) texts: SQLite does not find one for the"
                + " other",
            hint: "give \(table.name).\(column.name) the type \(key.type)",
            keys: [RuleKey.keptBy.rawValue])
    }

    /// An index serves no comparison that converts the values of its column. The same comparison with the key
    /// converted is served.
    private func indexHint(
        _ column: TableSchema.Column, by collation: String?, _ key: TableSchema.Column, of kept: TableSchema,
        in db: Database
    ) throws -> String {
        let index = try db.indexStatement(on: table.name, [(column.name, collation)])
        let isNumber = !key.type.isEmpty && !key.holdsNumbersAsText
        guard isNumber, column.holdsNumbersAsText || column.type.isEmpty else {
            return "create this index once in its database: \(index)"
        }
        let (own, other) = (kept.name + "." + key.name, table.name + "." + column.name)
        let reason = "the types of \(other) and \(own) differ, so no index serves kept_by; write"
        let copy = column.name + "_number"
        let added =
            "ALTER TABLE \(table.name.quotedIdentifier) ADD COLUMN \(copy.quotedIdentifier) \(key.type) AS"
            + " (\(column.name.quotedIdentifier))"
        return "\(reason) kept_by = \"\(table.name).\(copy)\", and have this column and its index: \(added);"
            + " \(try db.indexStatement(on: table.name, [(copy, nil)]))"
    }

    /// The collations with which the app may compare a key and a value: `a = b` uses the collation of `a`. If one of
    /// two is BINARY, it is left out, because the other finds at least the same values.
    private func collations(
        of column: TableSchema.Column, _ key: TableSchema.Column, of kept: TableSchema
    ) -> [String] {
        let isText = !table.isAlwaysInteger(column) && !kept.isAlwaysInteger(key)
        guard isText, column.collation.comparedName != key.collation.comparedName else {
            return [column.collation]
        }
        return [column.collation, key.collation].filter { $0.comparedName != "BINARY".comparedName }
    }

    /// Nil if SQLite would scan ``table`` for each key of `kept`. The query contains the comparison itself, because an
    /// index on text does not serve integer keys.
    private func search(by collation: String, of kept: TableSchema, in db: Database) throws -> Search? {
        let indexes = try db.rows(
            """
            SELECT i.name FROM pragma_index_list(:table) AS i, pragma_index_xinfo(i.name) AS part
            WHERE part.seqno = 0 AND part.name = :column ORDER BY i.seq DESC
            """, ["table": .text(table.name), "column": .text(column)])
        return try ([nil] + indexes.map(\.[0].string)).lazy.map { Search(collation: collation, index: $0) }
            .first { try isSearch($0, of: kept, in: db) }
    }

    private func isSearch(_ search: Search, of kept: TableSchema, in db: Database) throws -> Bool {
        let row = kept.name + " keeper"
        let question = """
            SELECT 1 FROM \(kept.name.quotedIdentifier) WHERE EXISTS (SELECT 1 FROM \(rows(row, search)) \
            WHERE \(isFound(row, for: kept.name, search)))
            """
        let steps =
            try search.index == nil ? db.queryPlan(of: question) : db.queryPlanByIndex(of: question)
        return steps?.contains { $0.hasPrefix("SEARCH " + row) } ?? false
    }

    /// SQL for the rows of ``table``, under the name `row`, that `search` reads.
    func rows(_ row: String, _ search: Search) -> String {
        table.name.quotedIdentifier + " AS " + row.quotedIdentifier + " "
            + table.looking(into: search.index)
    }

    /// SQL that is true if the keeper's row `row` has the key of `kept`; both are names of a row.
    func isFound(_ row: String, for kept: String, _ search: Search) -> String {
        "\(value(of: row)) = \(searched(for: kept, search))"
    }

    /// SQL for the value of the keeper's row `row`.
    func value(of row: String) -> String { row.quotedIdentifier + "." + column.quotedIdentifier }

    /// SQL for the key of the row `kept`, as `search` compares it.
    func searched(for kept: String, _ search: Search) -> String {
        kept.quotedIdentifier + "." + key.quotedIdentifier + " COLLATE " + search.collation.quotedIdentifier
    }
}
