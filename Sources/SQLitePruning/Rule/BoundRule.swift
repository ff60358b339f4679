import Conditions
import Pruning
import Retention
import RuleEngine
import SQLite

/// A binding with what SQLite needs to find and to change its rows.
struct BoundRule {
    let binding: Binding
    let table: TableSchema
    /// Nil if only keepers decide.
    let time: TimeColumn?
    let keepers: [Keeper]
    var conditions: RowConditions
    /// The columns that form the groups of `keep_last_per`.
    let groups: [TableSchema.Column]
    let tombstones: TombstoneTable?
    /// Nil if runs do not look for rows that came back.
    let identity: IdentityColumns?
    /// SQL for the key that is searched for in the keeper, if it is text by the schema and the table is in the order of
    /// the key's bytes; else nil.
    let textKey: String?
    /// The tables that ``conditions`` read besides the rule's own.
    let others: [TableSchema]
    /// The tables of the binding's ``Binding/declaredKeys``.
    let declaredChildren: [TableSchema]
    /// Whether triggers write rows of other tables when rows are deleted.
    var firesTriggers = false
    /// What triggers refuse to let go.
    var refusing: [RefusingCondition] = []
    /// The other triggers that may refuse a row.
    var mayRefuse = RefusingTriggers([])
    /// The triggers and views whose code runs for each changed row, whatever they do.
    var code: [String] = []
    /// The tables that these read.
    var readByCode: [String] = []

    var rule: RetentionRule { binding.rule }
    var mark: Mark? { binding.mark }
    var ownKeys: [ForeignKey] { binding.ownKeys }

    /// Whether rows that refer to each other may go in one statement. Else a row goes in a later one than those that refer to it.
    var goTogether: Bool { !ownKeys.isEmpty && ownKeys.allSatisfy(\.waits) }

    /// The tables from which rows are deleted, or whose rows are marked.
    var tables: [String] { [table.name] + rule.dependents.sorted() }
    /// The tables from which rows are deleted.
    var deletedTables: [String] { mark == nil ? tables : [] }

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
        guard now.table == table, now.textKey == textKey, now.binding == binding else { return table.name }
        guard now.declaredChildren == declaredChildren else {
            return declaredChildren.first?.name ?? table.name
        }
        guard now.tombstones == tombstones else { return tombstones?.table.name }
        guard now.conditions == conditions, now.others == others else {
            return others.first?.name ?? table.name
        }
        let changed = zip(keepers, now.keepers).first { $0 != $1 }
        return changed?.0.table.name
    }
}

extension BoundRule {
    /// Throws a ``SchemaMismatch`` when the rule does not fit the schema. `rules` are those of the store, and `triggers` tells
    /// which rows of other tables triggers change with those of one, as far as they may fire; nil to read only, without a check
    /// of what the rule would change.
    init(
        _ rule: RetentionRule, beside rules: [RetentionRule] = [], mayFire: Bool = false, in db: Database,
        triggers: ((RetentionRule) throws -> [TableWrite.ByTrigger])? = nil
    ) throws {
        let table = try TableSchema(rule.table, in: db)
        let conditions = try table.map { try RowConditions(of: rule, on: $0, in: db) }
        let read = conditions?.tables ?? []
        let rules = rule.beside(rules, reading: read, mayFire: mayFire)
        let catalog = try Catalog(of: [rule] + rules, reading: read, in: db)
        binding = try Binding(rule, catalog, beside: rules) { value, _ in
            value.literal
        } count: { kept, other, column in
            try table?.count(kept.name, of: other.name.name, column.name, in: db)
        }
        guard let table, let conditions else {
            throw SchemaMismatch.gone(rule.table)
        }
        if let triggers {
            let written = try triggers(rule)
            try binding.checkReach(catalog, triggered: Set(written.map(\.table)))
            try TableWrite.check(
                conditions.all, of: rule, on: binding.table.name, beside: rules, in: catalog
            ) { try $0.name == rule.name ? written : triggers($0) }
        }
        (self.table, self.conditions) = (table, conditions)
        declaredChildren = try binding.declaredKeys.map { key in
            guard let child = try TableSchema(key.child.name, in: db) else {
                throw SchemaMismatch.gone(key.child.description)
            }
            return child
        }
        others = try conditions.tables.compactMap { try TableSchema($0, in: db) }
        time = try binding.time.map {
            try TimeColumn(table.required($0), rule.time, of: table, in: db)
        }
        keepers = try zip(binding.keepers, rule.keptBy).map { keeper, reference in
            try SchemaMismatch.blaming(.keptBy, reference.description) {
                try Keeper(keeper, reference, of: table, in: db)
            }
        }
        groups = try binding.groups.map { try table.required($0) }
        tombstones = try binding.tombstone.map {
            try TombstoneTable($0, conditions.tombstone, of: table, in: db)
        }
        identity = IdentityColumns(of: binding, on: table)
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

extension TableSchema {
    /// How many of some values in a column are in a column of another table.
    fileprivate func count(
        _ name: String, of other: String, _ column: String, in db: Database
    ) throws -> (found: Int64, rows: Int64)? {
        guard columnNamed(name)?.isVirtual == false else { return nil }
        let (value, row) = (self.column(name), (self.name + " keeper").quotedIdentifier)
        let found = try db.row(
            """
            SELECT count(*) FILTER (WHERE isFound), count(*) FROM (SELECT EXISTS (SELECT 1 FROM \
            \(other.quotedIdentifier) AS \(row) WHERE \(row).\(column.quotedIdentifier) = \(value)) AS isFound \
            FROM \(itself) WHERE \(value) IS NOT NULL LIMIT \(BoundKeeper.sample))
            """)
        return (found?[0].integer ?? 0, found?[1].integer ?? 0)
    }
}
