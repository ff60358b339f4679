import Pruning
import Retention
import SQLite

/// What a column of `kept_by` refers to.
struct KeeperReference {
    let column: TableSchema.Column
    let table: TableSchema
    /// The rule's table, and its key.
    let kept: TableSchema
    let key: TableSchema.Column

    /// Throws a ``SchemaMismatch`` if the column is the key of its table, and the rule's table refers to it.
    func check(in db: Database) throws {
        guard table.primaryKey.map(\.comparedName) == [column.name.comparedName],
            table.name.comparedName != kept.name.comparedName, let referring = try referring(in: db)
        else { return }
        let misplaced = MisplacedKeeper(
            ColumnReference(table: table.name, column: column.name), kept: kept.name, referring: referring)
        throw SchemaMismatch(misplaced.cause, hint: misplaced.hint)
    }

    /// The column of the rule's table that refers to this one; nil if there is none, or if both tables have their keys in
    /// common.
    private func referring(in db: Database) throws -> String? {
        let keys = try ForeignKey.all(in: db)
        let isReference = keys.over(table.name).contains {
            $0.parent.comparedName == kept.name.comparedName
                && $0.columns.map(\.child.comparedName) == [column.name.comparedName]
        }
        guard !isReference else { return nil }
        let children = keys.over(kept.name).filter {
            $0.parent.comparedName == table.name.comparedName
                && $0.columns.map(\.parent.comparedName) == [column.name.comparedName]
        }.map { $0.columns[0].child }
        if !children.isEmpty {
            return children.contains { $0.comparedName == key.name.comparedName } ? nil : children[0]
        }
        // Without foreign keys the values tell. The keys of both tables may be the same, as in the built-in rules.
        guard try count(key, in: db).found == 0 else { return nil }
        return try kept.columns.first { other in
            guard other.name != key.name, !other.isVirtual else { return false }
            let (found, rows) = try count(other, in: db)
            return MisplacedKeeper.refers(found, of: rows)
        }?.name
    }

    /// How many of some values in a column of the rule's table are in this column.
    private func count(
        _ other: TableSchema.Column, in db: Database
    ) throws -> (found: Int64, rows: Int64) {
        let (value, row) = (kept.column(other.name), (kept.name + " keeper").quotedIdentifier)
        let found = try db.row(
            """
            SELECT count(*) FILTER (WHERE isFound), count(*) FROM (SELECT EXISTS (SELECT 1 FROM \
            \(table.name.quotedIdentifier) AS \(row) WHERE \(row).\(column.name.quotedIdentifier) = \(value)) AS isFound \
            FROM \(kept.itself) WHERE \(value) IS NOT NULL LIMIT \(MisplacedKeeper.sample))
            """)
        return (found?[0].integer ?? 0, found?[1].integer ?? 0)
    }
}
