import Retention
import SQLite

/// A rule bound to the schema of its store: every name checked, and spelled as the schema spells it.
struct BoundRule {
    let rule: RetentionRule
    let table: TableSchema
    let time: TableSchema.Column
    let timeIndex: TimeIndex?
    let keeper: Keeper?
    /// SQL for the key that the keeper is asked for, where that is text by the schema, and the table in the order of its
    /// bytes; else nil.
    let textKey: String?

    /// The tables of which rows are deleted.
    var tables: [String] { [table.name] + rule.dependents.sorted() }

    /// Whether every value of the time column that is not NULL is an integer, by the schema.
    var timeIsAlwaysInteger: Bool { table.isAlwaysInteger(time) }
}

extension BoundRule {
    /// Throws a ``SchemaMismatch`` when the rule does not fit the schema.
    init(_ rule: RetentionRule, in db: Database) throws {
        let table = try Self.table(rule.table, in: db)
        guard let time = table.columnNamed(rule.expiry.column) else {
            throw SchemaMismatch(
                "table \(table.name) has no column \"\(rule.expiry.column)\"",
                hint: "its columns are " + table.columns.map(\.name).joined(separator: ", "))
        }
        self.rule = rule
        self.table = table
        self.time = time
        timeIndex = try TimeIndex.find(table: table, column: time.name, unit: rule.unit, in: db)
        keeper = try rule.keptBy.map { try Keeper($0, of: table, in: db) }
        textKey = try keeper.flatMap { try Self.textKey($0.key, of: table, in: db) }
    }

    /// An index may be damaged and hide rows: the table must itself be in the order of its key's bytes, which must be the
    /// order of the walk through it, too: a primary key may have another collation than its column.
    private static func textKey(
        _ name: String, of table: TableSchema, in db: Database
    ) throws -> String? {
        guard table.isWithoutRowID, table.columnNamed(name)?.type.uppercased() == "TEXT" else { return nil }
        let key = table.column(name) + " COLLATE BINARY"
        let steps = try db.queryPlan(
            of: """
                SELECT 1 FROM \(table.name.quotedIdentifier) NOT INDEXED WHERE \(key) >= '' AND \(key) < '' \
                ORDER BY \(table.keyOrder)
                """)
        return steps.allSatisfy { $0.hasPrefix("SEARCH") } ? key : nil
    }

    static func table(_ name: String, in db: Database) throws -> TableSchema {
        if let table = try TableSchema(name, in: db) { return table }
        guard let (name, kind) = try TableSchema.kind(of: name, in: db) else {
            let names = try db.rows(
                "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' ORDER BY name"
            ).map(\.[0].string)
            throw SchemaMismatch(
                "there is no table \"\(name)\"",
                hint: "its tables are " + names.filter { !$0.hasPrefix("sqlite_") }.joined(separator: ", "))
        }
        switch kind {
        case .view: throw SchemaMismatch("\"\(name)\" is a view", hint: "name the table that holds the rows")
        case .virtual, .shadow:
            throw SchemaMismatch("\"\(name)\" is (part of) a virtual table", hint: "name an ordinary table")
        case .table:
            throw SchemaMismatch(
                "table \"\(name)\" has columns named rowid, _rowid_ and oid", hint: "its rows cannot be named"
            )
        }
    }
}

/// Why a rule does not fit the schema of its store.
struct SchemaMismatch: Error {
    let cause: String
    let hint: String

    init(_ cause: String, hint: String) {
        self.cause = cause
        self.hint = hint
    }
}
