import Retention

/// What a sketch says of the schema.
extension Connection {
    /// The pages of a table's file now.
    func pages(of table: Relation) throws -> Int64 {
        try query(
            "SELECT pg_relation_size($1::oid::regclass) / current_setting('block_size')::int",
            ["\(table.oid)"]
        ).integer(0, 0) ?? 0
    }

    /// What a table takes with its indexes.
    func bytes(of table: Relation) throws -> Int64 {
        try query("SELECT pg_total_relation_size($1::oid::regclass)", ["\(table.oid)"]).integer(0, 0) ?? 0
    }

    /// The columns by which an index finds rows.
    func firstIndexedColumns(of table: UInt32) throws -> Set<String> {
        let found = try query(
            """
            SELECT a.attname FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0] \
            WHERE i.indrelid = $1 AND i.indisvalid AND i.indpred IS NULL
            """, ["\(table)"])
        return Set(found.rows.compactMap { $0[0] })
    }

    /// What refers to this table, and what a deletion would take along, by whatever way.
    func referenceSketches(to table: Relation) throws -> [ReferenceSketch] {
        var found: Set<ReferenceSketch> = []
        var (waiting, seen): ([UInt32], Set<UInt32>) = ([table.oid], [table.oid])
        while let parent = waiting.popLast() {
            for key in try foreignKeys(to: parent) {
                let isOwn = parent == table.oid
                guard isOwn || key.cascades else { continue }
                found.insert(
                    ReferenceSketch(
                        table: try relation(key.child).description, column: key.childColumns.first ?? "",
                        cascades: key.cascades,
                        refersToKey: isOwn && key.childColumns.count == 1
                            && key.parentColumns == table.primaryKey))
                if key.cascades, seen.insert(key.child).inserted { waiting.append(key.child) }
            }
        }
        return found.sorted { ($0.table, $0.column) < ($1.table, $1.column) }
    }
}
