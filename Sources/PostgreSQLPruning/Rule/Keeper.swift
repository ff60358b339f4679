import Retention
import RuleEngine

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

    /// Throws a ``SchemaMismatch`` if the column cannot be compared with the key, or if finding a key would read the whole
    /// table.
    init(
        _ bound: BoundKeeper, _ reference: ColumnReference, in relation: Relation, of kept: Relation,
        in connection: Connection
    ) throws {
        let (column, key) = (try relation.required(bound.column), try kept.required(bound.key))
        (self.relation, self.column, self.key) = (relation, column.name, kept.column(key.name))
        // Such a type may have an equality of its own, which is not found in pg_catalog: citext would be compared as text.
        guard column.isOfCatalog, key.isOfCatalog else {
            throw SchemaMismatch(
                "kept_by compares \(reference) with \(kept.description).\(key.name), and one of them has a type that is not"
                    + " PostgreSQL's own",
                hint: "protect the rows by a condition, which compares them as the app does: protect ="
                    + " \"EXISTS (SELECT 1 FROM \(relation.name) WHERE \(relation.name).\(column.name) ="
                    + " \(kept.name).\(key.name))\"")
        }
        guard try connection.areComparable(column, of: relation, key, of: kept) else {
            throw SchemaMismatch(
                "kept_by compares \(reference) (\(column.type)) with \(kept.description).\(key.name) (\(key.type)), and"
                    + " a foreign key would do so in another way",
                hint: "give both columns one type and collation")
        }
        hasForeignKey = bound.hasForeignKey
        hasIndex = try connection.hasIndex(on: relation.oid, ledBy: [column.name])
        try checkIndex(kept, in: connection)
    }

    private func checkIndex(_ kept: Relation, in connection: Connection) throws {
        // Functions of an owner, which are refused elsewhere, run when a statement is planned.
        guard !hasIndex, try connection.calculations(readFrom: relation.oid).isEmpty else { return }
        let many = try connection.query(
            "SELECT count(*) FROM (SELECT 1 FROM \(relation.sql) LIMIT \(Self.few + 1)) few")
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
