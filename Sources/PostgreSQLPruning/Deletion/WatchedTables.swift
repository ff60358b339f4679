extension SchemaWatch {
    /// Watches what a rule reads, writes or reaches.
    init(_ bound: BoundRule) {
        var tables = [bound.relation.oid] + bound.leaves.map(\.oid) + bound.keepers.map(\.relation.oid)
        tables += bound.cascades.map(\.child) + [bound.tombstones?.relation.oid].compactMap(\.self)
        tables += bound.expressions.tables.map(\.oid)
        self.init(tables: tables)
    }
}
