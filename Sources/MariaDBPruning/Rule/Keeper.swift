import Pruning
import Retention
import RuleEngine

/// A column of another table that keeps the rows whose key occurs in it.
struct Keeper: Equatable {
    let relation: Relation
    private let column: String
    /// The key of the rule's table, as SQL.
    private let key: String
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
        guard column.isComparable(with: key) else {
            throw SchemaMismatch(
                "kept_by compares \(reference) (\(column.type)) with \(kept.description).\(key.name) (\(key.type)), and"
                    + " a foreign key would do so in another way",
                hint: "give both columns one type and collation")
        }
        hasIndex = relation.index(ledBy: [column.name]) != nil
        // What is read before a deletion is locked.
        guard try hasIndex || !connection.hasMany(relation, more: 1_000) else {
            throw SchemaMismatch(
                "kept_by = \"\(relation.description).\(column.name)\" would read the whole of \(relation.description)"
                    + " for every row",
                hint: "CREATE INDEX pruned ON \(relation.description) (\(column.name))", kind: .tooSlow)
        }
    }

    /// SQL that is true of a row that the keeper does not name. `source` is the keeper's table, or what is read instead;
    /// `lock` follows a subquery that must see what others have just committed.
    func isAbsent(from source: String, _ lock: String = "") -> String {
        let name = relation.column(column)
        guard hasIndex else {
            return
                "\(key) NOT IN (SELECT \(name) FROM \(source) AS \(relation.alias) WHERE \(name) IS NOT NULL\(lock))"
        }
        return "NOT EXISTS (SELECT 1 FROM \(source) AS \(relation.alias) WHERE \(name) = \(key)\(lock))"
    }
}

extension Relation.Column {
    /// Whether the server compares two columns as a foreign key does.
    func isComparable(with other: Relation.Column) -> Bool {
        isInteger && other.isInteger || baseType == other.baseType && collation == other.collation
    }
}

extension Connection {
    /// Whether a table has so many rows that reading all of them again and again takes too long.
    func hasMany(_ relation: Relation, more limit: Int = 10_000) throws -> Bool {
        try query("SELECT count(*) FROM (SELECT 1 FROM \(relation.sql) LIMIT \(limit + 1)) AS many").integer(
            0, 0) ?? 0
            > limit
    }
}
