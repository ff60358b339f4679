import Retention
import SQLite

/// A rule bound to the schema of its store: every name was checked, and has the schema's spelling.
struct BoundRule {
    let rule: RetentionRule
    let table: TableSchema
    let time: TableSchema.Column
    let timeIndex: TimeIndex?
    let keeper: Keeper?
    /// SQL for the key that is searched for in the keeper, if it is text by the schema and the table is in the order of
    /// the key's bytes; else nil.
    let textKey: String?
    /// Whether triggers write rows of other tables when rows are deleted.
    var firesTriggers = false

    /// The tables from which rows are deleted.
    var tables: [String] { [table.name] + rule.dependents.sorted() }

    /// Whether the schema guarantees that every value of the time column is an integer or NULL.
    var timeIsAlwaysInteger: Bool { table.isAlwaysInteger(time) }
}

extension BoundRule {
    /// Throws a ``SchemaMismatch`` when the rule does not fit the schema.
    init(_ rule: RetentionRule, in db: Database) throws {
        let table = try TableSchema.required(rule.table, in: db)
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

    /// The table itself must be in the order of the key's bytes, because an index may be damaged and hide rows. The
    /// walk through the table must have that order, too: a primary key may have another collation than its column.
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
}
