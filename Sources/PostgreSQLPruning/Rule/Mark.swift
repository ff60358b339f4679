import Retention

/// The columns that a rule sets in place of a deletion, checked.
struct Mark: Equatable {
    /// The columns, each with its value as SQL.
    let columns: [(name: String, literal: String)]

    init(columns: [(name: String, literal: String)]) { self.columns = columns }

    /// Nil if the rule deletes. Throws a ``SchemaMismatch`` if a column cannot be set. `rules` are those of the store.
    init?(
        of rule: RetentionRule, on relation: Relation, beside rules: [RetentionRule],
        in connection: Connection
    ) throws {
        guard case .mark(let marked) = rule.action else { return nil }
        let special =
            try Self.specialColumns(of: rule, on: relation, in: connection)
            + rules.filter { $0.name != rule.name }.flatMap {
                try Self.columns(of: relation, decidingFor: $0, in: connection)
            }
        columns = try marked.map { mark in
            try SchemaMismatch.blaming(["action", "set", mark.column]) {
                let column = try relation.required(mark.column)
                if let use = special.first(where: { $0.columns.contains(column.name) })?.use {
                    throw SchemaMismatch(
                        "action would set \(relation.description).\(column.name), which \(use)",
                        hint: "a mark sets columns that say nothing but that the app has deleted the row")
                }
                try Self.refuseMoment(mark.value, of: column)
                return (column.name, Self.literal(mark.value, of: column))
            }
        }
        guard rule.archiveKeep == nil || !relation.primaryKey.isEmpty else {
            throw SchemaMismatch(
                "marked rows of \(relation.description) cannot be archived: it has no primary key",
                hint: "remove archive from the rule", keys: ["archive"])
        }
    }

    /// Another rule may name a table that is not there: then it is not this one.
    private static func columns(
        of relation: Relation, decidingFor other: RetentionRule, in connection: Connection
    ) throws -> [(columns: [String], use: String)] {
        let isNamed = { (name: String) throws in
            try connection.tables(named: name).contains { $0.oid == relation.oid }
        }
        return try other.decidingColumns(isOnTable: isNamed(other.table)) { try isNamed($0.table) }
            .map { ([$0.column], $0.use) }
    }

    private static func specialColumns(
        of rule: RetentionRule, on relation: Relation, in connection: Connection
    ) throws -> [(columns: [String], use: String)] {
        let unique = try connection.query(
            """
            SELECT DISTINCT a.attname FROM pg_index i CROSS JOIN unnest(i.indkey::int2[]) AS k (number) \
            JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.number \
            WHERE i.indrelid = $1 AND (i.indisunique OR i.indisexclusion)
            """, ["\(relation.oid)"]
        ).rows.compactMap { $0[0] }
        return [
            (relation.primaryKey, "is part of its key"),
            (relation.columns.filter(\.isGenerated).map(\.name), "is computed"),
            ([rule.expiry.column].compactMap(\.self), "has the rows' time"),
            (rule.keepLastPer, "forms the groups of keep_last_per"),
            (unique, "a unique index has"),
            (try connection.foreignKeys(of: relation.oid).flatMap(\.childColumns), "refers to another table"),
            (
                try connection.foreignKeys(to: relation.oid).flatMap(\.parentColumns),
                "another table refers to"
            ),
        ]
    }

    /// Throws if the value is another one in each run.
    private static func refuseMoment(_ value: ColumnConstant, of column: Relation.Column) throws {
        guard case .text(let text) = value, ["date", "time"].contains(where: column.baseType.hasPrefix) else {
            return
        }
        let word = text.lowercased().filter { $0 != " " && $0 != "\t" && $0 != "\n" }
        guard ["now", "today", "tomorrow", "yesterday"].contains(where: word.hasPrefix) else { return }
        throw SchemaMismatch(
            "\(text.inQuotes) is another time in each run, so no row would keep the mark",
            hint: "write a time that stays, or mark another column")
    }

    /// The value, converted by the type of the column when the statement is planned. PostgreSQL has no integer for a
    /// boolean, which a configuration for SQLite may write as 1.
    static func literal(_ value: ColumnConstant, of column: Relation.Column) -> String {
        switch value {
        case .integer(let number) where column.baseType == "boolean" && (number == 0 || number == 1):
            number == 1 ? "true" : "false"
        case .integer(let number): number < 0 ? "(\(number))" : "\(number)"
        case .real(let number): "\(number)"
        case .text(let text): text.quotedLiteral
        }
    }

    var names: [String] { columns.map(\.name) }

    /// SQL that sets the columns.
    var assignments: String {
        columns.map { "\($0.name.quotedIdentifier) = \($0.literal)" }.joined(separator: ", ")
    }

    /// SQL that is true of a row that has all of the values.
    func isSet(in relation: Relation) -> String {
        "("
            + columns.map { "\(relation.column($0.name)) IS NOT DISTINCT FROM \($0.literal)" }.joined(
                separator: " AND ")
            + ")"
    }

    static func == (a: Mark, b: Mark) -> Bool {
        a.columns.elementsEqual(b.columns) { $0.name == $1.name && $0.literal == $1.literal }
    }
}
