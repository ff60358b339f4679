extension SchemaWatch {
    /// Watches what a rule reads, writes or reaches.
    init(_ bound: BoundRule) {
        // The newest rows are looked for in all leaves.
        var tables = bound.rule.keepLast == nil ? [] : [bound.relation.oid]
        tables += bound.keepers.map(\.relation.oid)
        tables += bound.cascades.map(\.child) + [bound.tombstones?.relation.oid].compactMap(\.self)
        tables += bound.others.map(\.oid)
        self.init(tables: tables, root: bound.relation.oid, leaves: bound.leaves.map(\.oid))
    }
}

extension BoundRule {
    /// The tables besides its leaves that a deletion changes, or a tombstone is written to, with their partitions.
    func reachedTables(in connection: Connection) throws -> [UInt32] {
        let tables = cascades.map(\.child) + [tombstones?.relation.oid].compactMap(\.self)
        return try Set(tables).sorted().flatMap { try connection.partitionTree(of: $0) }
    }
}
