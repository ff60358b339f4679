extension SchemaWatch {
    /// Watches what a rule reads, writes or reaches.
    init(_ bound: BoundRule) {
        var tables = [bound.relation.oid] + bound.leaves.map(\.oid) + bound.keepers.map(\.relation.oid)
        tables += bound.cascades.map(\.child) + [bound.tombstones?.relation.oid].compactMap(\.self)
        tables += bound.expressions.tables.map(\.oid)
        self.init(tables: tables)
    }
}

extension BoundRule {
    /// The tables besides its leaves that a deletion changes, or a tombstone is written to, with their partitions.
    func reachedTables(in connection: Connection) throws -> [UInt32] {
        let tables = cascades.map(\.child) + [tombstones?.relation.oid].compactMap(\.self)
        return try Set(tables).sorted().flatMap { try connection.partitionTree(of: $0) }
    }
}
