import Pruning
import Retention

/// A rule whose names were found in the catalog.
struct BoundRule: Equatable {
    let rule: RetentionRule
    let relation: Relation
    /// The tables that have the rows: the table itself, or the leaves of a partitioned one, in the order of the catalog.
    let leaves: [Relation]
    /// Nil for a rule without a time.
    let time: TimeColumn?
    let keepers: [Keeper]
    let conditions: RowConditions
    let mark: Mark?
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
    let cascades: [ForeignKey]
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

    /// Throws a ``SchemaMismatch`` if the rule does not fit. `rules` are all of the store.
    init(
        _ rule: RetentionRule, beside rules: [RetentionRule] = [], in connection: Connection
    ) throws {
        self.rule = rule
        let relation = try connection.relation(named: rule.table)
        try OtherStorage.refuse([relation], in: connection)
        try Self.checkKind(of: relation)
        self.relation = relation
        let leaves = try connection.leaves(of: relation)
        try OtherStorage.refuse(leaves, in: connection)
        self.leaves = leaves
        let keys = rule.expiry.column == nil ? [] : [Self.timeKey(of: rule)]
        time = try SchemaMismatch.blaming(keys, rule.expiry.column?.inQuotes) {
            try rule.expiry.column.map { try TimeColumn($0, of: relation, rule.time) }
        }
        keepers = try SchemaMismatch.blaming(["kept_by"]) {
            try rule.keptBy.map { try Keeper($0, of: relation, in: connection) }
        }
        conditions = try RowConditions(of: rule, on: relation, beside: rules, in: connection)
        mark = try Mark(of: rule, on: relation, beside: rules, in: connection)
        tombstones = try TombstoneTable(of: rule, on: relation, in: connection)
        groups = try SchemaMismatch.blaming(["keep_last_per"]) {
            try rule.keepLastPer.map {
                let column = try relation.required($0)
                try column.refuseOwnOperators(
                    "keep_last_per groups by", of: relation, hint: "group by a column of a built-in type")
                return column
            }
        }
        hasTimeIndex =
            try rule.expiry.column.map { column in
                try connection.haveOrderedIndex(leaves, on: [column], by: ["btree", "brin"])
            } ?? false
        hasOrderedTimeIndex =
            try rule.expiry.column.map { column in
                try connection.haveOrderedIndex(leaves, on: [column])
            } ?? false
        let order = groups.map(\.name) + [time?.name].compactMap(\.self)
        hasNewestIndex = try rule.keepLast != nil && connection.haveOrderedIndex(leaves, on: order)
        cascades = mark == nil ? try connection.cascades(from: relation) : []
        ownKeys = mark == nil ? try OwnKey.all(of: relation, in: connection) : []
        dependentTables = try Set(
            cascades.filter { $0.onDelete == .cascade }.flatMap { try connection.partitionTree(of: $0.child) }
        ).sorted()
        try checkReach(in: connection)
        try checkNewest(order)
    }

    private static func timeKey(of rule: RetentionRule) -> String {
        if case .deadline = rule.expiry { "expires_column" } else { "age_column" }
    }

    private static func checkKind(of relation: Relation) throws {
        let (name, keys) = (relation.description, ["table"])
        switch relation.kind {
        case .table, .partitioned: break
        case .view, .materializedView:
            throw SchemaMismatch(
                "\(name) is a view", hint: "name the table that has its rows", keys: keys,
                value: name.inQuotes)
        case .foreign, .other:
            throw SchemaMismatch(
                "\(name) is a foreign table, whose rows another server has",
                hint: "prune it on that server", keys: keys, value: name.inQuotes)
        }
        guard !relation.isPartition else {
            throw SchemaMismatch(
                "\(name) is a partition of another table", hint: "name the table that it is a partition of",
                keys: keys,
                value: name.inQuotes)
        }
        guard !relation.hasChildren else {
            throw SchemaMismatch(
                "other tables inherit from \(name)", hint: "only partitions can be pruned together",
                keys: keys,
                value: name.inQuotes)
        }
    }

    /// Throws if the deletion would change rows of other tables that the rule does not declare.
    private func checkReach(in connection: Connection) throws {
        let declared = Set(rule.dependents)
        var reached: Set<String> = []
        var deleted: Set<UInt32> = []
        for key in cascades {
            let child = try connection.relation(key.child)
            guard child.oid != relation.oid else {
                throw SchemaMismatch(
                    "rows of \(relation.description) belong to rows of its dependents (a foreign key), so that deleting"
                        + " rows would also delete others, expired or not",
                    hint: "leave such a table to its app")
            }
            let isKeeper = keepers.contains {
                $0.relation.oid == child.oid && key.childColumns == [$0.column]
                    && key.parent == relation.oid && key.parentColumns == relation.primaryKey
            }
            let names: Set = [child.name, child.description, "\(child.schema).\(child.name)"]
            guard isKeeper || key.onDelete == .cascade && !declared.isDisjoint(with: names) else {
                throw SchemaMismatch(
                    "deleting rows of \(relation.description) would also \(key.onDelete == .cascade ? "delete" : "update")"
                        + " rows of \(child.description) (a foreign key), which the rule does not declare",
                    hint: keyHint(key, child))
            }
            reached.formUnion(names)
            if !isKeeper { deleted.insert(child.oid) }
            try key.requireIndex(on: child, deletingFrom: relation, in: connection)
        }
        // Otherwise each batch would release rows that the batch before it still kept, and that nobody has counted.
        if let keeper = keepers.first(where: { deleted.contains($0.relation.oid) }) {
            throw Keeper.deleted(keeper.relation)
        }
        let keeping = Set(
            keepers.flatMap { [$0.relation.name, "\($0.relation.schema).\($0.relation.name)"] })
        if let both = rule.dependents.sorted().first(where: keeping.contains) {
            throw SchemaMismatch(
                "\(both) is named by dependents and by kept_by, so none of its rows is ever deleted",
                hint: "remove it from dependents", keys: ["dependents"])
        }
        if let stranger = rule.dependents.sorted().first(where: { !reached.contains($0) }) {
            throw SchemaMismatch(
                "rows of \(stranger) would not be deleted with rows of \(relation.description)",
                hint: "a dependent needs a foreign key with ON DELETE CASCADE", keys: ["dependents"])
        }
    }

    /// The columns of ``ownKeys``, as a person writes them.
    var ownKeyNames: String { ownKeys.map { $0.columns(of: relation) }.joined(separator: ", ") }

    /// What a person can write so that a foreign key may act on deletions, or never does.
    private func keyHint(_ key: ForeignKey, _ child: Relation) -> String {
        let canKeep =
            key.parent == relation.oid && key.childColumns.count == 1
            && key.parentColumns == relation.primaryKey
            && ColumnReference(table: child.description, column: key.childColumns[0]).isWritable
        let named =
            rule.keptBy.map(\.description.inQuotes) + ["\(child.description).\(key.childColumns[0])".inQuotes]
        let keptBy = "kept_by = " + (named.count == 1 ? named[0] : "[\(named.joined(separator: ", "))]")
        let declared = (rule.dependents.sorted() + [child.description]).map(\.inQuotes)
        let dependents =
            "if those rows belong to them, write dependents = [\(declared.joined(separator: ", "))]"
        return switch (key.onDelete, canKeep) {
        case (.cascade, true): dependents + "; if they keep them, \(keptBy)"
        case (.cascade, false): dependents
        case (_, true): "rows that are referred to can stay: \(keptBy)"
        case (_, false):
            "a rule may not change the rows that refer to its own, and kept_by cannot name this key: leave such a"
                + " table to its app"
        }
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
            || !conditions.tables.isEmpty || !triggers.isEmpty
    }
}

extension Connection {
    /// The tables that have the rows of `relation`.
    func leaves(of relation: Relation) throws -> [Relation] {
        guard relation.kind == .partitioned else { return [relation] }
        let found = try query(
            """
            SELECT t.relid::oid FROM pg_partition_tree($1::oid::regclass) t WHERE t.isleaf ORDER BY t.relid
            """, ["\(relation.oid)"])
        let leaves = try relations(found.rows.map { UInt32($0[0] ?? "") ?? 0 })
        if let foreign = leaves.first(where: { $0.kind != .table }) {
            throw SchemaMismatch(
                "partition \(foreign.description) is a foreign table, whose rows another server has",
                hint: "detach it, or prune it on that server", keys: ["table"])
        }
        return leaves
    }

    /// The foreign keys by which a deletion in `relation` changes rows of other tables, and those of these tables in turn.
    /// Without those of `relation` to itself: see ``OwnKey``.
    func cascades(from relation: Relation) throws -> [ForeignKey] {
        var found: [ForeignKey] = []
        var (waiting, seen): ([UInt32], Set<UInt32>) = ([relation.oid], [relation.oid])
        while let table = waiting.popLast() {
            // A foreign key may refer to one partition alone.
            for key in try foreignKeys(to: partitionTree(of: table))
            where key.acts && (key.child != relation.oid || key.parent != relation.oid) {
                found.append(key)
                if key.onDelete == .cascade, seen.insert(key.child).inserted { waiting.append(key.child) }
            }
        }
        return found
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
