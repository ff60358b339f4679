import Retention

/// The table in which a rule leaves a tombstone of each deleted row, checked.
struct TombstoneTable: Equatable {
    let relation: Relation
    let columns: [Tombstone.CopiedColumn]
    /// The columns of the unique index that tells which tombstone is there already.
    let key: [String]

    /// Nil if the rule leaves none. Throws a ``SchemaMismatch`` if the tombstones do not fit their table.
    init?(of rule: RetentionRule, on rows: Relation, in connection: Connection) throws {
        guard let tombstone = rule.tombstone else { return nil }
        let relation = try SchemaMismatch.blaming(["tombstone", "table"], tombstone.table.inQuotes) {
            let relation = try connection.relation(named: tombstone.table, preferring: rows.schema)
            guard relation.oid != rows.oid else {
                throw SchemaMismatch(
                    "tombstones cannot be rows of \(rows.description) itself",
                    hint: "to keep rows, use action = { set = … }")
            }
            return relation
        }
        self.relation = relation
        columns = try tombstone.columns.map { copied in
            try SchemaMismatch.blaming(["tombstone", "columns", copied.column], copied.source.inQuotes) {
                let column = try relation.required(copied.column)
                _ = try rows.required(copied.source)
                guard !column.isGenerated else {
                    throw SchemaMismatch(
                        "\(relation.description).\(column.name) is computed and cannot be written",
                        hint: "leave it out of the tombstone")
                }
                return copied
            }
        }
        let given = Set(columns.map(\.column))
        key = try SchemaMismatch.blaming(["tombstone", "columns"]) {
            try Self.checkNeeds(given, of: relation, from: rows)
            let key = try Self.key(of: relation, given: given, in: connection)
            for name in key {
                try relation[name]?.refuseOwnOperators(
                    "a tombstone is found by", of: relation,
                    hint: "only tombstones with a key of built-in types can be left")
            }
            return key
        }
    }

    private static func checkNeeds(_ given: Set<String>, of relation: Relation, from rows: Relation) throws {
        let missing = relation.columns.first {
            $0.isNotNull && !$0.hasDefault && !$0.isGenerated && !$0.isIdentity && !given.contains($0.name)
        }
        guard let missing else { return }
        throw SchemaMismatch(
            "a tombstone in \(relation.description) needs a value of \(missing.name)",
            hint: "name the column of \(rows.description) that it copies")
    }

    /// The unique index that tells which tombstone is there already. Throws if there is none, or if another one would
    /// refuse a tombstone that is not there.
    private static func key(
        of relation: Relation, given: Set<String>, in connection: Connection
    ) throws -> [String] {
        let indexes = try connection.query(
            """
            SELECT array_to_json(array_agg(coalesce(a.attname, '') ORDER BY k.place)) FROM pg_index i \
            CROSS JOIN unnest(i.indkey::int2[]) WITH ORDINALITY AS k (number, place) \
            LEFT JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.number \
            WHERE i.indrelid = $1 AND i.indisunique AND i.indisvalid AND i.indpred IS NULL AND i.indimmediate \
            AND k.place <= i.indnkeyatts GROUP BY i.indexrelid
            """, ["\(relation.oid)"]
        ).rows.map { JSONNames.parse($0[0] ?? "[]") }
        let set = indexes.filter { given.isSuperset(of: $0) }
        guard let key = set.first(where: { key in set.allSatisfy { Set($0).isSuperset(of: key) } }) else {
            throw SchemaMismatch(
                set.isEmpty
                    ? "no unique index of \(relation.description) is on columns of the tombstone alone"
                    : "another unique index of \(relation.description) would refuse tombstones that are not there yet",
                hint: set.isEmpty
                    ? "name the columns by which its app finds a tombstone"
                    : "name only columns of one unique index")
        }
        return key
    }

    /// The sources of the key's columns, in the key's order.
    var keySources: [String] { key.compactMap { name in columns.first { $0.column == name }?.source } }
}
