import Pruning
import Retention
import RuleEngine

/// A binding with what PostgreSQL needs to find and to change its rows.
struct BoundRule: Equatable {
    let binding: Binding
    let relation: Relation
    /// The tables that have the rows: the table itself, or the leaves of a partitioned one, in the order of the catalog.
    let leaves: [Relation]
    /// Nil for a rule without a time.
    let time: TimeColumn?
    let keepers: [Keeper]
    var conditions: RowConditions
    /// The tables that ``conditions`` read besides the rule's own.
    let others: [Relation]
    let tombstones: TombstoneTable?
    /// The columns of `keep_last_per`.
    let groups: [Relation.Column]
    /// Whether an index that is led by the time, and has all rows, finds the expired ones.
    let hasTimeIndex: Bool
    /// Whether that index is in the order of the time, as a btree is.
    let hasOrderedTimeIndex: Bool
    /// Whether an index finds the newest rows that `keep_last` keeps.
    let hasNewestIndex: Bool
    /// The foreign keys that take rows of other tables along.
    let cascades: [ForeignKeyConstraint]
    /// The foreign keys by which rows of the table hold others of it.
    let ownKeys: [OwnKey]
    /// The tables from which these delete rows, and the partitions that have them.
    let dependentTables: [UInt32]
    /// The app's triggers that fire for changed rows; all of them are allowed.
    var triggers: [ReachedCode.Finding] = []
    /// Those that may keep a row, or raise an error.
    var refusing: RefusingTriggers {
        RefusingTriggers(triggers.filter(\.mayRefuse).map { "\($0.name) on \($0.table)" })
    }

    /// What the rule declares of rows that refer to its own, which each batch does itself.
    var declared: [ForeignKeyConstraint] { cascades.filter(\.key.isDeclared) }

    var rule: RetentionRule { binding.rule }
    var mark: Mark? { binding.mark }

    /// Throws a ``SchemaMismatch`` if the rule does not fit. `rules` are all of the store.
    init(
        _ rule: RetentionRule, beside rules: [RetentionRule] = [], in connection: Connection
    ) throws {
        let relation = try connection.relationIfAny(rule.table)
        if let relation { try OtherStorage.refuse([relation], in: connection) }
        let conditions = try relation.map { try RowConditions(of: rule, on: $0, in: connection) }
        let read = conditions?.tables ?? []
        let rules = rule.beside(rules, reading: read)
        let catalog = try RuleCatalog(of: [rule] + rules, reading: read, in: connection)
        if let relation {
            try SliceAdmission.check(rule, on: relation, catalog.catalog.foreignKeys, in: connection)
        }
        binding = try Binding(rule, catalog.catalog, beside: rules) { value, column in
            guard let column = relation?[column.name] else { throw SchemaMismatch.gone(column.name) }
            try value.refuseMoment(of: column)
            return value.literal(of: column)
        } count: { kept, other, column in
            guard let relation, let kept = relation[kept.name], let other = catalog.relationIfAny(other.name),
                let column = other[column.name]
            else { return nil }
            return try connection.count(kept, of: relation, in: column, of: other)
        }
        guard let relation, let conditions else {
            throw SchemaMismatch.gone(rule.table)
        }
        try binding.checkReach(catalog.catalog)
        try TableWrite.check(
            conditions.all, of: rule, on: binding.table.name, beside: rules, in: catalog.catalog)
        others = try conditions.checkReading(beside: relation, catalog, in: connection)
        (self.relation, self.conditions) = (relation, conditions)
        let leaves = try connection.leaves(of: relation)
        try OtherStorage.refuse(leaves, areLeaves: relation.isHypertable, in: connection)
        self.leaves = leaves
        time = try binding.time.map { column in
            try SchemaMismatch.blaming(rule.expiry.keys?.column ?? .ageColumn, column.name) {
                try TimeColumn(relation.required(column), of: relation, rule.time)
            }
        }
        keepers = try zip(binding.keepers, rule.keptBy).map { keeper, reference in
            try SchemaMismatch.blaming(.keptBy, reference.description) {
                try Keeper(
                    keeper, reference, in: catalog.relation(keeper.table.name), of: relation, in: connection)
            }
        }
        tombstones = try binding.tombstone.map {
            try TombstoneTable($0, in: catalog.relation($0.table.name))
        }
        groups = try SchemaMismatch.blaming([RuleKey.keepLastPer.rawValue]) {
            [columns = binding.groups] in
            try columns.map { bound in
                let column = try relation.required(bound)
                try column.refuseOwnOperators(
                    "keep_last_per groups by", of: relation, hint: "group by a column of a built-in type")
                return column
            }
        }
        hasTimeIndex =
            try time.map { try connection.haveOrderedIndex(leaves, on: [$0.name], by: ["btree", "brin"]) }
            ?? false
        // There is no min of UUIDs, by which such an index would be walked.
        hasOrderedTimeIndex =
            try time.map { try $0.storage != .id && connection.haveOrderedIndex(leaves, on: [$0.name]) }
            ?? false
        let order = groups.map(\.name) + [time?.name].compactMap(\.self)
        hasNewestIndex = try rule.keepLast != nil && connection.haveOrderedIndex(leaves, on: order)
        cascades = catalog.constraints(binding.cascades)
        ownKeys = try catalog.constraints(binding.ownKeys).map {
            try OwnKey($0, of: relation, in: connection)
        }
        dependentTables = try Set(
            cascades.filter(\.cascades).flatMap { try connection.partitionTree(of: $0.child) }
        ).sorted()
        for key in cascades {
            let child = try catalog.relation(key.key.child)
            try key.requireComparable(child, with: connection.relation(key.parent), in: connection)
            try key.requireIndex(on: child, deletingFrom: relation, in: connection)
        }
        try checkNewest(order)
    }

    /// Throws if the newest rows cannot be found without reading the whole table in each batch.
    private func checkNewest(_ columns: [String]) throws {
        guard rule.keepLast != nil, !hasNewestIndex,
            leaves.reduce(0, { $0 + max(0, $1.estimatedRows) }) > Self.mostUnindexed
        else { return }
        throw SchemaMismatch(
            "keep_last would read the whole of \(relation.description) in each batch",
            hint:
                "CREATE INDEX ON \(relation.sql) (\(columns.map(\.quotedIdentifier).joined(separator: ", ")))",
            kind: .tooSlow)
    }

    /// A table of this many rows is read without an index.
    private static let mostUnindexed = 100_000.0

    /// Whether a batch locks its rows first, and changes them in a second statement with a new snapshot.
    ///
    /// In one statement, a DELETE that waited for a row's lock would not see what was committed meanwhile in other tables,
    /// and none can tell a row that a trigger kept from one that did not fit.
    var needsTwoStatements: Bool {
        !keepers.isEmpty || rule.keepLast != nil || !cascades.isEmpty || !ownKeys.isEmpty || mark != nil
            || !others.isEmpty || !triggers.isEmpty
    }
}

extension Connection {
    /// The tables that have the rows of `relation`.
    func leaves(of relation: Relation) throws -> [Relation] {
        guard relation.kind == .partitioned else { return [relation] }
        let found = try query(
            """
            SELECT t.oid FROM \(PartitionTree.below("$1")) t JOIN pg_class c USING (oid) \
            WHERE c.relkind <> 'p' AND t.oid <> $1 ORDER BY t.oid
            """, ["\(relation.oid)"])
        let leaves = try relations(found.rows.map { UInt32($0[0] ?? "") ?? 0 })
        if let foreign = leaves.first(where: { $0.kind != .table }) {
            throw SchemaMismatch(
                "partition \(foreign.description) is a foreign table, whose rows another server has",
                hint: "detach it, or prune it on that server", keys: ["table"])
        }
        return leaves
    }

    /// How many of some values in a column of a rule's table are in the column of another; nil if they are not compared.
    fileprivate func count(
        _ kept: Relation.Column, of relation: Relation, in column: Relation.Column, of other: Relation
    ) throws -> (found: Int64, rows: Int64)? {
        // Functions of an owner, which are refused elsewhere, run when a statement is planned.
        guard kept.isOfCatalog, kept.baseType == column.baseType,
            try [relation, other].allSatisfy({ try calculations(readFrom: $0.oid).isEmpty })
        else { return nil }
        let found = try query(
            """
            SELECT count(*) FILTER (WHERE EXISTS (SELECT FROM \(other.sql) AS \(other.alias) \
            WHERE \(other.column(column.name)) = sample.value)), count(*) FROM (SELECT \(relation.column(kept.name)) AS value \
            FROM \(relation.sql) AS \(relation.alias) WHERE \(relation.column(kept.name)) IS NOT NULL \
            LIMIT \(BoundKeeper.sample)) sample
            """)
        return (found.integer(0, 0) ?? 0, found.integer(0, 1) ?? 0)
    }

    /// Whether each of the tables has an index of one of these kinds that begins with these columns in this order, and has
    /// all rows.
    func haveOrderedIndex(
        _ tables: [Relation], on columns: [String], by methods: [String] = ["btree"]
    ) throws -> Bool {
        try query(
            """
            SELECT NOT EXISTS (SELECT FROM unnest($1::oid[]) t (oid) WHERE NOT EXISTS (SELECT FROM pg_index i \
            JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_am m ON m.oid = c.relam WHERE i.indrelid = t.oid \
            AND i.indisvalid AND i.indpred IS NULL AND m.amname = ANY ($3::text[]) \
            AND (SELECT array_agg(a.attname::text ORDER BY k.place) FROM unnest(i.indkey::int2[]) WITH ORDINALITY \
            AS k (number, place) JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.number \
            WHERE k.place <= cardinality($2::text[])) = $2::text[]))
            """, [.arrayLiteral(tables.map { "\($0.oid)" }), .arrayLiteral(columns), .arrayLiteral(methods)]
        ).isTrue(0, 0)
    }
}
