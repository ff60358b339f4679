import Retention
import RuleEngine
import SQLite

extension StoreGate.Known {
    /// Throws a ``SchemaMismatch`` if `rule` reads, writes or reaches a table that is not in this schema, about which
    /// nothing was compared.
    func cover(_ reach: DeleteReach, of rule: BoundRule, in db: Database) throws {
        let known = Set(schema.tables.map(\.name.comparedName))
        let tombstones = [rule.tombstones?.table.name].compactMap(\.self)
        let changed = Set((rule.tables + tombstones + reach.writes.map(\.table)).map(\.comparedName))
        let read = Set((rule.keepers.map(\.table.name) + rule.conditions.tables).map(\.comparedName))
            .union(reach.codeReads)
        let keys = try ForeignKey.all(in: db)
        let parents = keys.filter { changed.contains($0.child.name.comparedName) }.map(
            \.parent.name.comparedName)
        let children = keys.filter { changed.contains($0.parent.name.comparedName) }.map(
            \.child.name.comparedName)
        // SQLite also reads the rows to which a deleted row refers. They decide nothing.
        let idle = Set(parents).subtracting(children).subtracting(changed).subtracting(read)
        let reached = reach.reads.union(changed).union(read).subtracting(idle)
        let stranger = reached.subtracting(known).map { String(decoding: $0, as: UTF8.self) }
            .filter { !$0.hasPrefix("sqlite_") }.min()
        guard let stranger else { return }
        throw SchemaMismatch.uncovered(stranger, by: versions, through: "a foreign key or a trigger")
    }
}
