import Pruning
import Retention

/// What a column of `kept_by` refers to.
struct KeeperReference {
    let column: Relation.Column
    let relation: Relation
    /// The rule's table, and its key.
    let kept: Relation
    let key: Relation.Column

    /// Throws a ``SchemaMismatch`` if the column is the key of its table, and the rule's table refers to it. The column has
    /// no foreign key to the rule's table.
    func check(in connection: Connection) throws {
        guard relation.primaryKey == [column.name], let referring = try referring(in: connection) else {
            return
        }
        let misplaced = MisplacedKeeper(
            ColumnReference(table: relation.name, column: column.name), kept: kept.name, referring: referring)
        throw SchemaMismatch(misplaced.cause, hint: misplaced.hint)
    }

    /// The column of the rule's table that refers to this one; nil if there is none, or if both tables have their keys in
    /// common.
    private func referring(in connection: Connection) throws -> String? {
        let children = try connection.foreignKeys(of: kept.oid).filter {
            $0.parent == relation.oid && $0.parentColumns == [column.name]
        }.map { $0.childColumns[0] }
        if !children.isEmpty { return children.contains(key.name) ? nil : children[0] }
        // Without foreign keys the values tell.
        guard try count(key, in: connection).found == 0 else { return nil }
        return try kept.columns.first { other in
            guard other.name != key.name, other.isOfCatalog, other.baseType == column.baseType else {
                return false
            }
            let (found, rows) = try count(other, in: connection)
            return MisplacedKeeper.refers(found, of: rows)
        }?.name
    }

    /// How many of some values in a column of the rule's table are in this column.
    private func count(
        _ other: Relation.Column, in connection: Connection
    ) throws -> (found: Int64, rows: Int64) {
        let found = try connection.query(
            """
            SELECT count(*) FILTER (WHERE EXISTS (SELECT FROM \(relation.sql) AS \(relation.alias) \
            WHERE \(relation.column(column.name)) = sample.value)), count(*) FROM (SELECT \(kept.column(other.name)) AS value \
            FROM \(kept.sql) AS \(kept.alias) WHERE \(kept.column(other.name)) IS NOT NULL \
            LIMIT \(MisplacedKeeper.sample)) sample
            """)
        return (found.integer(0, 0) ?? 0, found.integer(0, 1) ?? 0)
    }
}
