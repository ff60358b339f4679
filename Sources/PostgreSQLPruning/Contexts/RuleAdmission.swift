import Pruning
import Retention

extension StoreAccess {
    /// The schema that the store's gate knows; nil for a store that may have any. Throws if the database has another one, as
    /// far as `uses` depend on it.
    func passGate(for uses: [SchemaUse], in connection: Connection) throws -> StoreGate.Known? {
        try gate.map {
            try Gate($0, for: uses, store: name, place: address.place, names: .postgresql)
                .pass(StoreSchema(of: $0.tables, in: connection))
        }
    }

    /// Throws a ``SchemaMismatch`` if code of the tables' owners would run that the gate does not know, if the rule reaches
    /// tables that it does not know, or if the role lacks a privilege.
    /// Returns the triggers that fire.
    func admit(
        _ bound: BoundRule, _ known: StoreGate.Known?, in connection: Connection
    ) throws -> [ReachedCode.Finding] {
        let tombstones = bound.tombstones.map { ($0.relation, $0.columns.map(\.column)) }
        let code = try ReachedCode(
            of: bound.rule.action, on: bound.relation, tombstones: tombstones,
            reading: bound.keepers.map(\.relation) + bound.others, declared: bound.declared, in: connection
        )
        try code.check(allowing: gate?.triggers ?? [])
        try NeededRights(
            rule: bound.rule, relation: bound.relation, leaves: bound.leaves, tombstones: tombstones,
            read: bound.keepers.map(\.relation),
            declared: try bound.declared.map { ($0.key, try connection.relation($0.child)) }
        ).check(in: connection)
        try ExpiredPartitions.check(bound.rule, bound.relation, in: connection)
        let tables = bound.keepers.map(\.relation) + bound.others
        try known?.cover(
            tables + [tombstones?.0].compactMap(\.self), of: bound.relation, and: bound.cascades,
            in: connection)
        return code.triggers
    }
}
