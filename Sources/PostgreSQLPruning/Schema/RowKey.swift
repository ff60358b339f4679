/// What identifies a row of a table, as one text.
struct RowKey {
    /// SQL of the text. Without a primary key it is the whole row.
    let sql: String

    /// Of a row that a statement calls `row`, if not by the table's name.
    init(of relation: Relation, as row: String? = nil) {
        let columns = relation.primaryKey.isEmpty ? relation.columns.map(\.name) : relation.primaryKey
        let parts = columns.map { column in
            row.map { $0 + "." + column.quotedIdentifier } ?? relation.column(column)
        }
        if parts.count > 1 {
            sql = "ROW(\(parts.joined(separator: ", ")))::text"
        } else if relation[columns[0]]?.isOfCatalog ?? true {
            sql = "\(parts[0])::text"
        } else {
            // The same text, but of no cast, which would be code of the type's owner.
            sql = "CASE WHEN num_nulls(\(parts[0])) = 0 THEN format('%s', \(parts[0])) END"
        }
    }
}
