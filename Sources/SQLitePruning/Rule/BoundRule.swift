import Conditions
import Pruning
import Retention
import SQLite

/// A rule bound to the schema of its store: every name was checked, and has the schema's spelling.
struct BoundRule {
    let rule: RetentionRule
    let table: TableSchema
    /// Nil if only keepers decide.
    let time: TimeColumn?
    let keepers: [Keeper]
    let conditions: RowConditions
    /// The columns that form the groups of `keep_last_per`.
    let groups: [TableSchema.Column]
    /// Nil if the rule deletes rows.
    let mark: Mark?
    let tombstones: TombstoneTable?
    /// Nil if runs do not look for rows that came back.
    let identity: IdentityColumns?
    /// SQL for the key that is searched for in the keeper, if it is text by the schema and the table is in the order of
    /// the key's bytes; else nil.
    let textKey: String?
    /// The foreign keys by which rows of the table refer to others of it; empty for marks, which leave them.
    let ownKeys: [ForeignKey]
    /// Whether triggers write rows of other tables when rows are deleted.
    var firesTriggers = false
    /// What triggers refuse to let go.
    var refusing: [RefusingCondition] = []
    /// The other triggers that may refuse a row.
    var mayRefuse = RefusingTriggers([])
    /// The triggers and views whose code runs for each changed row, whatever they do.
    var code: [String] = []

    /// Whether rows that refer to each other may go in one statement. Else a row goes in a later one than those that refer to it.
    var goTogether: Bool { !ownKeys.isEmpty && ownKeys.allSatisfy(\.waits) }

    /// The columns of ``ownKeys``, as a person writes them.
    var ownKeyNames: String {
        ownKeys.map { key in key.columns.map { "\(table.name).\($0.child)" }.joined(separator: ", ") }
            .joined(separator: " or ")
    }

    /// The tables from which rows are deleted, or whose rows are marked.
    var tables: [String] { [table.name] + rule.dependents.sorted() }
    /// The tables from which rows are deleted.
    var deletedTables: [String] { mark == nil ? tables : [] }

    /// All conditions, that of the tombstones included.
    var allConditions: [RowCondition] { conditions.all + [tombstones?.condition].compactMap(\.self) }

    /// SQL for the rows of `place`, which follows WHERE. They are read from the table itself.
    func from(_ place: String) -> String { "FROM \(table.itself) WHERE \(place)" }

    /// SQL for the rows of `place`, which SQLite may find by an index. It may find others, or not all.
    func found(_ place: String) -> String { "FROM \(table.name.quotedIdentifier) WHERE \(place)" }

    /// The statement that deletes or marks the rows of `place`, which follows WHERE. No index decides of them.
    func change(_ place: String) -> String {
        guard let mark else { return "DELETE \(from(place))" }
        return "UPDATE OR ABORT \(table.itself) SET \(mark.assignments) WHERE \(place)"
    }

    var timeIndex: TimeIndex? { time?.index }

    /// Whether the schema guarantees that every value of the time column is an integer or NULL.
    var timeIsAlwaysInteger: Bool { time?.isAlwaysInteger ?? false }

    /// The name of a part of the schema that the rule depends on and that `now` has otherwise; nil if there is none.
    func difference(to now: BoundRule) -> String? {
        guard now.table == table, now.textKey == textKey, now.mark == mark, now.ownKeys.count == ownKeys.count
        else { return table.name }
        guard now.tombstones == tombstones else { return tombstones?.table.name }
        guard now.conditions == conditions else { return conditions.tables.sorted().first ?? table.name }
        let changed = zip(keepers, now.keepers).first { $0 != $1 }
        return changed?.0.table.name
    }
}

extension BoundRule {
    /// Throws a ``SchemaMismatch`` when the rule does not fit the schema. `rules` are those of the store.
    init(_ rule: RetentionRule, beside rules: [RetentionRule] = [], in db: Database) throws {
        let table = try SchemaMismatch.blaming(.table, rule.table) {
            try TableSchema.required(rule.table, in: db)
        }
        self.rule = rule
        self.table = table
        time = try rule.expiry.column.map { column in
            try SchemaMismatch.blaming(rule.expiry.keys?.column ?? .ageColumn, column) {
                try TimeColumn(column, rule.time, of: table, in: db)
            }
        }
        keepers = try rule.keptBy.map { reference in
            try SchemaMismatch.blaming(.keptBy, reference.description) {
                try Keeper(reference, of: table, in: db)
            }
        }
        conditions = try RowConditions(of: rule, on: table, in: db)
        groups = try rule.keepLastPer.map { column in
            try SchemaMismatch.blaming(.keepLastPer, column) { try table.required(column) }
        }
        mark = try Mark(of: rule, on: table, beside: rules, in: db)
        tombstones = try TombstoneTable(of: rule, on: table, in: db)
        identity = try IdentityColumns(of: rule, on: table)
        ownKeys =
            mark == nil
            ? try ForeignKey.all(in: db).over(table.name).filter {
                $0.parent.comparedName == table.name.comparedName
            } : []
        textKey = try keepers.first.flatMap { try Self.textKey($0.key, of: table, in: db) }
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
                SELECT 1 FROM \(table.itself) WHERE \(key) >= '' AND \(key) < '' \
                ORDER BY \(table.keyOrder)
                """)
        return steps.allSatisfy { $0.hasPrefix("SEARCH") } ? key : nil
    }
}
