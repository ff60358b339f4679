import Retention
import RuleEngine

/// The table in which a rule leaves a tombstone of each deleted row.
struct TombstoneTable: Equatable {
    let relation: Relation
    let columns: [Tombstone.CopiedColumn]
    /// The columns of the unique index that tells which tombstone is there already.
    let key: [String]

    /// Throws a ``SchemaMismatch`` if tombstones are not compared by what `pg_catalog` has.
    init(_ bound: BoundTombstone, in relation: Relation) throws {
        (self.relation, columns, key) = (relation, bound.columns, bound.key.columns)
        try SchemaMismatch.blaming(BoundTombstone.keys(.columns)) {
            for name in key {
                try relation[name]?.refuseOwnOperators(
                    "a tombstone is found by", of: relation,
                    hint: "only tombstones with a key of built-in types can be left")
            }
        }
    }

    /// The sources of the key's columns, in the key's order.
    var keySources: [String] { key.compactMap { name in columns.first { $0.column == name }?.source } }
}
