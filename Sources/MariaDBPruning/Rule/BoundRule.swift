import Conditions
import FoundationEssentials
import Pruning
import Retention
import RuleEngine

/// A binding with what MariaDB needs to find and to change its rows.
struct BoundRule: Equatable {
    let binding: Binding
    let relation: Relation
    /// Nil for a rule without a time.
    let time: TimeColumn?
    /// The index that finds expired rows in the order of their time; nil if there is none.
    let timeIndex: Relation.Index?
    let key: RowKey
    let keepers: [Keeper]
    let conditions: RowConditions
    /// The tables that ``conditions`` read besides the rule's own.
    let others: [Relation]
    /// The columns of `keep_last_per`.
    let groups: [Relation.Column]
    /// Whether an index finds the newest rows that `keep_last` keeps.
    let hasNewestIndex: Bool
    /// The foreign keys that take rows of other tables along, from the rule's table down to each of these.
    let paths: [[Step]]
    /// The references to the rule's table that become NULL.
    let detached: [Step]
    /// The foreign keys to the rule's table, and to those of the paths, that hold rows.
    let holding: [Step]
    /// The app's triggers that fire for changed rows; all of them are allowed.
    var triggers: [AppTrigger] = []

    /// A foreign key from rows of `child` to rows of `parent`.
    struct Step: Equatable {
        let key: ForeignKey
        let parent: Relation
        let child: Relation

        /// SQL that is true if a row of the child refers to one of the parent.
        func matches(child: String, parent: String) -> String {
            zip(key.childColumns, key.parentColumns).map {
                "\(child).\($0.quotedIdentifier) = \(parent).\($1.quotedIdentifier)"
            }.joined(separator: " AND ")
        }
    }

    /// The tables of which a batch changes rows, each once.
    var changedTables: [Relation] {
        ([relation] + paths.compactMap(\.last?.child) + detached.map(\.child)).reduce(into: []) {
            if !$0.contains($1) { $0.append($1) }
        }
    }

    var rule: RetentionRule { binding.rule }
    var mark: Mark? { binding.mark }
    var refusing: RefusingTriggers {
        RefusingTriggers(triggers.filter(\.mayRefuse).map { "\($0.name) on \($0.table)" })
    }

    /// Binds the rule for a run that begins at `start`. Throws a ``SchemaMismatch`` if it does not fit. `rules` are all of the
    /// store.
    init(
        _ rule: RetentionRule, beside rules: [RetentionRule], at start: Date, in connection: Connection
    ) throws {
        try Self.checkIsKnown(rule)
        let found = try connection.names(of: rule.table).compactMap { try connection.relation($0) }.first
        let conditions = try found.map { try RowConditions(of: rule, on: $0, in: connection) }
        let read = conditions?.tables ?? []
        let beside = rule.beside(rules, reading: read)
        let catalog = try RuleCatalog(of: [rule] + beside, reading: read, in: connection)
        binding = try Binding(rule, catalog.catalog, beside: beside) { value, column in
            guard let column = found?[column.name] else { throw SchemaMismatch.gone(column.name) }
            return try value.literal(of: column)
        } count: { kept, other, column in
            guard let found, let kept = found[kept.name], let other = catalog.relationIfAny(other.name),
                let column = other[column.name], kept.isComparable(with: column)
            else { return nil }
            return try connection.count(kept, of: found, in: column, of: other)
        }
        guard let relation = found, let conditions else { throw SchemaMismatch.gone(rule.table) }
        try binding.checkReach(catalog.catalog)
        try TableWrite.check(
            conditions.all, of: rule, on: binding.table.name, beside: beside, in: catalog.catalog)
        for condition in conditions.all {
            for table in try catalog.catalog.read(by: condition) {
                try condition.requireIndex(on: catalog.relation(table.name), in: connection)
            }
        }
        others = try conditions.all.flatMap { try catalog.catalog.read(by: $0) }.reduce(into: [Relation]()) {
            let table = try catalog.relation($1.name)
            if !$0.contains(table) { $0.append(table) }
        }
        (self.relation, self.conditions) = (relation, conditions)
        try relation.refuseOtherStorage()
        key = try RowKey(of: relation)
        let time = try binding.time.map { column in
            try SchemaMismatch.blaming(rule.expiry.keys?.column ?? .ageColumn, column.name) {
                try TimeColumn(relation.required(column), of: relation, rule.time, at: start)
            }
        }
        self.time = time
        timeIndex = time.flatMap { relation.index(orderedBy: [$0.name]) }
        keepers = try zip(binding.keepers, rule.keptBy).map { keeper, reference in
            try SchemaMismatch.blaming(.keptBy, reference.description) {
                try Keeper(
                    keeper, reference, in: catalog.relation(keeper.table.name), of: relation, in: connection)
            }
        }
        groups = try binding.groups.map { try relation.required($0) }
        let order = groups.map(\.name) + [time?.name].compactMap(\.self)
        hasNewestIndex = rule.keepLast != nil && relation.index(orderedBy: order) != nil
        guard binding.ownKeys.isEmpty else {
            throw Self.refersToItself(relation)
        }
        let bound = binding
        let paths = try Self.paths(bound.cascades.filter { !bound.isKept($0) }, from: relation, catalog)
        self.paths = paths
        let detached = try bound.declaredKeys.filter { !$0.cascades }.map { key in
            Step(key: key, parent: relation, child: try catalog.relation(key.child))
        }
        for step in detached { try step.child.refuseOtherStorage() }
        self.detached = detached
        holding = Self.holding(relation, paths, bound, catalog)
        for step in Set(paths.compactMap(\.last?.key) + detached.map(\.key)).sorted(by: {
            $0.child < $1.child
        }) {
            try catalog.relation(step.child).requireIndex(on: step, deletingFrom: relation, in: connection)
        }
        if rule.keepLast != nil, !hasNewestIndex, try connection.hasMany(relation, more: Self.mostUnindexed) {
            throw SchemaMismatch(
                "keep_last would read the whole of \(relation.description) in each batch",
                hint: "CREATE INDEX pruned ON \(relation.description) (\(order.joined(separator: ", ")))",
                kind: .tooSlow)
        }
    }

    private static func refersToItself(_ table: Relation) -> SchemaMismatch {
        SchemaMismatch(
            "rows of \(table.description) refer to others of it (a foreign key), which is not followed on MariaDB",
            hint: StoreHint.leaveToApp)
    }

    /// Of more rows, the newest are found by an index.
    private static let mostUnindexed = 100_000

    /// What no run does on MariaDB so far, each with the key that asks for it.
    private static func checkIsKnown(_ rule: RetentionRule) throws {
        let unknown: [(RuleKey, Bool)] = [
            (.tombstone, rule.tombstone != nil)
        ]
        guard let key = unknown.first(where: \.1)?.0 else { return }
        throw SchemaMismatch(
            "\(key.rawValue) is not known on MariaDB", hint: "remove it, or leave the rule to the app",
            keys: [key.rawValue])
    }

    /// Throws if a table is reached in more than one way that leads back to it: no order of deletions is right then.
    private static func paths(
        _ keys: [ForeignKey], from relation: Relation, behind path: [Step] = [], _ catalog: RuleCatalog
    ) throws -> [[Step]] {
        try keys.filter { $0.cascades && $0.parent == relation.tableName }.flatMap { key -> [[Step]] in
            let step = Step(key: key, parent: relation, child: try catalog.relation(key.child))
            guard !path.contains(where: { $0.parent == step.child }), step.child != relation else {
                throw SchemaMismatch(
                    "\(step.child.description) goes with rows that go with it (a circle of foreign keys)",
                    hint: StoreHint.leaveToApp)
            }
            try step.child.refuseOtherStorage()
            // The server looks at such keys row by row.
            guard
                !catalog.catalog.foreignKeys.contains(where: {
                    $0.child == key.child && $0.parent == key.child
                })
            else {
                throw Self.refersToItself(step.child)
            }
            let path = path + [step]
            return [path] + (try paths(keys, from: step.child, behind: path, catalog))
        }
    }

    private static func holding(
        _ relation: Relation, _ paths: [[Step]], _ binding: Binding, _ catalog: RuleCatalog
    ) -> [Step] {
        guard binding.mark == nil else { return [] }
        let parents = [relation] + paths.compactMap(\.last?.child)
        return parents.reduce(into: [Relation]()) { if !$0.contains($1) { $0.append($1) } }.flatMap {
            parent in
            // What the user may not see, the server still minds: the run tells.
            catalog.catalog.foreignKeys.filter {
                !$0.acts && $0.parent == parent.tableName && !binding.replacedKeys.contains($0)
            }.compactMap {
                key in
                catalog.relationIfAny(key.child).map { Step(key: key, parent: parent, child: $0) }
            }
        }
    }
}

extension Relation {
    /// Throws a ``SchemaMismatch`` if rows cannot be locked and deleted one by one, and taken back.
    func refuseOtherStorage() throws(SchemaMismatch) {
        guard engine == "InnoDB" else {
            throw SchemaMismatch(
                "\(description) has the engine \(engine.isEmpty ? "of no table" : engine), which has no transactions",
                hint: "ALTER TABLE \(description) ENGINE = InnoDB")
        }
        guard !isSystemVersioned else {
            throw SchemaMismatch(
                "\(description) has system versioning: deleted rows stay in it as its history",
                hint: "DELETE HISTORY, by its owner, takes these away")
        }
    }

    /// Throws a ``SchemaMismatch`` if many rows would be read for each deleted row of `parent`.
    fileprivate func requireIndex(
        on key: ForeignKey, deletingFrom parent: Relation, in connection: Connection
    ) throws {
        guard index(ledBy: key.childColumns) == nil, try connection.hasMany(self) else { return }
        throw SchemaMismatch(
            (key.isDeclared ? "column \(key.child).\(key.childColumns[0])" : "foreign key \(key.name ?? "")")
                + " has no index: each deleted row of \(parent.description) reads the whole of \(description)",
            hint: "CREATE INDEX pruned ON \(description) (\(key.childColumns.joined(separator: ", ")))",
            kind: .tooSlow)
    }
}

extension RowCondition {
    /// Throws a ``SchemaMismatch`` if a subquery would read, and lock, all of a table of many rows for each batch.
    fileprivate func requireIndex(on table: Relation, in connection: Connection) throws {
        let columns = condition.searched(in: table.description)
        guard !columns.contains(where: { table.index(orderedBy: [$0]) != nil }),
            try connection.hasMany(table, more: 1_000)
        else { return }
        throw refusal(
            "reads and locks all of \(table.description) in each batch, which has more than 1,000 rows",
            hint: columns.first.map { "CREATE INDEX pruned ON \(table.description) (\($0))" }
                ?? "write EXISTS with a comparison of a column of \(table.description) that has an index")
    }
}

extension ColumnConstant {
    /// The value as SQL, of the type of the column. Throws if it is none.
    func literal(of column: Relation.Column) throws(SchemaMismatch) -> String {
        switch self {
        case .integer(let number): return "\(number)"
        case .real(let number): return "\(number)"
        case .text(let text):
            guard !column.isInteger, !["decimal", "double", "float"].contains(column.baseType) else {
                throw SchemaMismatch(
                    "\(text.inQuotes) is a text, and \(column.name) is a \(column.type)",
                    hint: "write a number")
            }
            return text.quotedLiteral
        }
    }
}

extension Connection {
    /// How many of some values of a column are in a column of another table.
    fileprivate func count(
        _ kept: Relation.Column, of relation: Relation, in column: Relation.Column, of other: Relation
    ) throws -> (found: Int64, rows: Int64)? {
        let value = relation.column(kept.name)
        let found = try query(
            """
            SELECT count(CASE WHEN EXISTS (SELECT 1 FROM \(other.sql) AS o WHERE o.\(column.name.quotedIdentifier) = s.v) \
            THEN 1 END), count(*) FROM (SELECT \(value) AS v FROM \(relation.sql) AS \(relation.alias) \
            WHERE \(value) IS NOT NULL LIMIT \(BoundKeeper.sample)) AS s
            """)
        return (found.integer(0, 0) ?? 0, found.integer(0, 1) ?? 0)
    }
}
