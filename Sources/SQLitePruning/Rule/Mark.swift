import Pruning
import Retention
import SQLite
import TerminalText

/// The values that a rule gives to expired rows instead of deleting them, checked.
struct Mark: Equatable {
    private let columns: [(name: String, literal: String)]

    /// Nil if the rule deletes. Throws a ``SchemaMismatch`` if one of its columns cannot be set. `rules` are those of the
    /// store.
    init?(
        of rule: RetentionRule, on table: TableSchema, beside rules: [RetentionRule] = [], in db: Database
    ) throws {
        guard case .mark(let marked) = rule.action else { return nil }
        let special =
            try Self.specialColumns(of: rule, on: table, in: db)
            + rules.filter { $0.name != rule.name }.flatMap { other in
                let own = table.name.comparedName
                return other.decidingColumns(isOnTable: other.table.comparedName == own) {
                    $0.table.comparedName == own
                }.map { (column: $0.column.comparedName, use: $0.use) }
            }
        columns = try marked.map { mark in
            try SchemaMismatch.blaming(mark.keys, mark.value.written) {
                let column = try table.required(mark.column)
                if let use = special.first(where: { $0.column == column.name.comparedName })?.use {
                    throw SchemaMismatch(
                        "action would set \(table.name).\(column.name), which \(use)",
                        hint: "a mark sets columns that say nothing but that the app has deleted the row")
                }
                return (column.name, mark.value.literal)
            }
        }
        guard rule.archiveKeep == nil || !table.primaryKey.isEmpty && !table.mayLackKey else {
            throw SchemaMismatch(
                "marked rows of \(table.name) cannot be archived: it has no primary key that names each row",
                hint: "remove archive from the rule", keys: [RuleKey.archive.rawValue])
        }
    }

    /// The columns that identify a row, order it, or decide over other rows.
    private static func specialColumns(
        of rule: RetentionRule, on table: TableSchema, in db: Database
    ) throws -> [(column: [UInt8], use: String)] {
        let unique = try db.rows(
            """
            SELECT DISTINCT part.name FROM pragma_index_list(:table) AS i, pragma_index_xinfo(i.name) AS part
            WHERE i."unique" AND part.key AND part.name IS NOT NULL
            """, ["table": .text(table.name)])
        let keys = try ForeignKey.all(in: db)
        let uses: [(names: [String], use: String)] = [
            (table.key + table.primaryKey, "is part of its key"),
            (table.columns.filter(\.isGenerated).map(\.name), "is computed"),
            ([rule.expiry.column].compactMap(\.self), "has the rows' time"),
            (rule.keepLastPer, "forms the groups of keep_last_per"),
            (unique.map(\.[0].string), "a unique index has"),
            (keys.over(table.name).flatMap { $0.columns.map(\.child) }, "refers to another table"),
            (keys.under(table.name).flatMap { $0.columns.map(\.parent) }, "another table refers to"),
        ]
        return uses.flatMap { use in use.names.map { ($0.comparedName, use.use) } }
    }

    /// The names of the columns.
    var names: [String] { columns.map(\.name) }

    /// The value of `column` as SQL; nil if it is not set.
    func literal(of column: String) -> String? {
        columns.first { $0.name.comparedName == column.comparedName }?.literal
    }

    /// The setting of `rule` that says what is set.
    func setting(of rule: RetentionRule) -> BlamedSetting? {
        guard case .mark(let marked) = rule.action, let first = marked.first else { return nil }
        guard marked.count > 1 else {
            return BlamedSetting(of: rule.name, first.keys, value: first.value.written)
        }
        let written = marked.map { "\($0.column) = \($0.value.written)" }.joined(separator: ", ")
        return BlamedSetting(of: rule.name, first.keys.dropLast(), value: "{ \(written) }")
    }

    /// SQL that sets the columns.
    var assignments: String {
        columns.map { "\($0.name.quotedIdentifier) = \($0.literal)" }.joined(separator: ", ")
    }

    /// SQL that is true of a row that has all of the values. `row` is the name of the row.
    func isSet(_ row: String) -> String {
        columns.map {
            "\(row.quotedIdentifier).\($0.name.quotedIdentifier) IS \($0.literal) COLLATE BINARY"
        }.joined(separator: " AND ")
    }

    static func == (a: Mark, b: Mark) -> Bool {
        a.columns.elementsEqual(b.columns) { $0.name == $1.name && $0.literal == $1.literal }
    }
}

extension MarkedColumn {
    /// The keys of the column in the configuration, below the rule.
    var keys: [String] { [RuleKey.action.rawValue, ActionKey.set.rawValue, column] }
}

extension ColumnConstant {
    /// The value as a file writes it.
    var written: String {
        switch self {
        case .integer(let value): "\(value)"
        case .real(let value): "\(value)"
        case .text(let value): value.inQuotes
        }
    }

    /// The value as SQL.
    var literal: String {
        switch self {
        case .integer(let value): value == .min ? "(-9223372036854775807 - 1)" : "\(value)"
        case .real(let value): "\(value)"
        case .text(let value): value.quoted("'")
        }
    }
}
