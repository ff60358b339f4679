import Retention
import RuleEngine

extension StoreGate.Known {
    /// Throws a ``SchemaMismatch`` if a rule reads, writes or reaches a table that is not in this schema, about which
    /// nothing was compared. `tables` are those that the rule names, `relation` is its own.
    func cover(
        _ tables: [Relation], of relation: Relation, and cascades: [ForeignKeyConstraint],
        in connection: Connection
    ) throws {
        let own = try Set(schema.tables.compactMap { try connection.relationIfAny($0.name)?.oid })
        let children =
            try cascades.map(\.child) + connection.foreignKeys(to: relation.oid).map(\.child)
        let reached = try tables + [relation] + children.map { try connection.relation($0) }
        for table in reached where !own.contains(table.oid) {
            // A partition is its table's.
            guard try own.isDisjoint(with: connection.partitionTree(of: table.oid)) else { continue }
            throw SchemaMismatch.uncovered(table.description, by: versions, through: "a foreign key")
        }
    }
}
