import Retention

/// A column of another table that keeps the rows whose key occurs in it.
struct Keeper: Equatable {
    let relation: Relation
    let column: String
    /// The key of the rule's table, as SQL.
    private let key: String
    /// Whether a foreign key holds the row while a new keeper is being written.
    let hasForeignKey: Bool
    /// Whether an index finds a key. A keeper without one is small, and is read once a statement.
    private let hasIndex: Bool

    /// Throws a ``SchemaMismatch`` if `reference` cannot keep rows of `kept`, or if finding a key would read the whole
    /// table.
    init(_ reference: ColumnReference, of kept: Relation, in connection: Connection) throws {
        guard kept.primaryKey.count == 1, let key = kept[kept.primaryKey[0]] else {
            throw SchemaMismatch(
                "kept_by needs a primary key of one column, and that of \(kept.description) has"
                    + " \(kept.primaryKey.count)",
                hint: "remove kept_by from the rule; keep_last keeps its newest rows")
        }
        let relation = try connection.relation(named: reference.table, preferring: kept.schema)
        self.relation = relation
        guard relation.kind == .table || relation.kind == .partitioned else {
            throw SchemaMismatch(
                "kept_by names \(relation.description), which is no table",
                hint: "name the table that has its rows")
        }
        guard relation.oid != kept.oid else { throw Self.deleted(kept) }
        // Its rows would hide those of the rule's table in the search.
        guard relation.name != kept.name else {
            throw SchemaMismatch(
                "kept_by names \(relation.description), which has the name of the rule's own table",
                hint: "such a keeper cannot be told apart; rename one of them")
        }
        let column = try relation.required(reference.column)
        self.column = column.name
        self.key = kept.column(key.name)
        // Such a type may have an equality of its own, which is not found in pg_catalog: citext would be compared as text.
        guard column.isOfCatalog, key.isOfCatalog else {
            throw SchemaMismatch(
                "kept_by compares \(reference) with \(kept.description).\(key.name), and one of them has a type that is not"
                    + " PostgreSQL's own",
                hint: "protect the rows by a condition, which compares them as the app does: protect ="
                    + " \"EXISTS (SELECT 1 FROM \(relation.name) WHERE \(relation.name).\(column.name) ="
                    + " \(kept.name).\(key.name))\"")
        }
        let foreignKeys = try connection.foreignKeys(to: kept.oid).filter {
            $0.child == relation.oid && $0.childColumns == [column.name]
        }
        if let other = foreignKeys.first(where: { $0.parentColumns != kept.primaryKey }) {
            throw SchemaMismatch(
                "\(reference) refers to \(other.parentColumns.joined(separator: ", ")) of \(kept.description) (foreign key"
                    + " \(other.name)), not to its key",
                hint: "protect the rows instead: protect ="
                    + " \"EXISTS (SELECT 1 FROM \(relation.name) WHERE \(relation.name).\(column.name) ="
                    + " \(kept.name).\(other.parentColumns.joined()))\"")
        }
        hasForeignKey = !foreignKeys.isEmpty
        hasIndex = try connection.hasIndex(on: relation.oid, ledBy: [column.name])
        if !hasForeignKey {
            try KeeperReference(column: column, relation: relation, kept: kept, key: key).check(
                in: connection)
        }
        try checkIndex(kept, in: connection)
    }

    /// A keeper of which the rule deletes rows.
    static func deleted(_ relation: Relation) -> SchemaMismatch {
        SchemaMismatch(
            "kept_by names a column of \(relation.description), whose rows the rule itself deletes",
            hint: "what is kept must not depend on what is deleted; name a column of another table",
            keys: ["kept_by"])
    }

    private func checkIndex(_ kept: Relation, in connection: Connection) throws {
        guard !hasIndex else { return }
        let many = try connection.query(
            "SELECT count(*) FROM (SELECT FROM \(relation.sql) LIMIT \(Self.few + 1)) few")
        guard (many.integer(0, 0) ?? 0) > Self.few else { return }
        throw SchemaMismatch(
            "kept_by = \"\(relation.description).\(column)\" would read the whole of \(relation.description) for every row",
            hint: "CREATE INDEX ON \(relation.sql) (\(column.quotedIdentifier))", kind: .tooSlow)
    }

    /// A keeper of this many rows needs no index.
    private static let few = 10_000

    /// SQL that is true of a row that the keeper does not name. `source` is the keeper's table, or what is read instead.
    ///
    /// Of few rows in a batch, the server would rather read a small keeper without an index once for each of them. NOT IN
    /// has it hash the keeper's values. It says the same: no key is NULL, and NULL in a keeper is left out.
    func isAbsent(from source: String) -> String {
        let name = relation.column(column)
        guard hasIndex else {
            return
                "\(key) NOT IN (SELECT \(name) FROM \(source) AS \(relation.alias) WHERE \(name) IS NOT NULL)"
        }
        return
            "NOT EXISTS (SELECT FROM \(source) AS \(relation.alias) WHERE \(relation.column(column)) = \(key))"
    }
}
