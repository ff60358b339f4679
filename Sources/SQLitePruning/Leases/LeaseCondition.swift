import Archive
import FoundationEssentials
import Glibc
import Pruning
import RuleEngine
import SQLite
import TerminalText

/// The SQL of "no lease keeps this row": neither its own lease, nor that of a row that would be deleted with it.
struct LeaseCondition {
    private let table: String
    /// The tables whose rows have leases, by `comparedName`.
    private var leased: [[UInt8]: TableSchema] = [:]
    private var keys: [ForeignKey] = []
    /// When the last of the leases ends.
    private(set) var end: Date?

    /// Nil if no row that the rule's deletions reach has a lease. `leases` returns the leases of a table. Throws
    /// ``StoreErrorKind/leasesUnreadable`` if SQL cannot find out whether a row has one.
    init?(on bound: BoundRule, in db: Database, leases: (TableSchema) throws -> Leases) throws {
        table = bound.table.name
        let declared = bound.binding.declaredKeys.filter(\.cascades)
        let all = bound.rule.dependents.isEmpty ? [] : try ForeignKey.cascading(in: db) + declared
        try note(leases(bound.table), of: bound.table)
        var reached: Set = [table.comparedName]
        var waiting = [table]
        while let next = waiting.popLast() {
            for key in all.under(next) where reached.insert(key.child.name.comparedName).inserted {
                waiting.append(key.child.name)
                // No rule can archive rows of a table without a ``TableSchema``, so they have no lease.
                guard let child = try TableSchema(key.child.name, in: db) else { continue }
                try note(leases(child), of: child)
            }
        }
        guard !leased.isEmpty else { return nil }
        let onlyItself = leased.count == 1 && leased[table.comparedName] != nil
        keys = onlyItself ? [] : all
        if let circle = Self.circle(under: table, keys, path: []) {
            throw Leases.untold(of: bound.rule, under: table, in: circle)
        }
    }

    private mutating func note(_ leases: Leases, of table: TableSchema) {
        guard !leases.isEmpty else { return }
        leased[table.name.comparedName] = table
        end = [end, leases.end].compactMap(\.self).max()
    }

    /// A table that foreign keys lead back to.
    private static func circle(
        under table: String, _ keys: [ForeignKey], path: Set<[UInt8]>
    ) -> String? {
        guard !path.contains(table.comparedName) else { return table }
        let path = path.union([table.comparedName])
        return keys.under(table).lazy.compactMap { circle(under: $0.child.name, keys, path: path) }.first
    }

    /// The condition for the row `row` of the rule's table.
    func sql(row: String) -> String {
        "NOT (\(leases(of: row, in: table).balanced("OR")))"
    }

    private func leases(of row: String, in table: String) -> [String] {
        let own = leased[table.comparedName].map { Self.call(on: $0, row: row) }
        return [own].compactMap(\.self)
            + keys.under(table).compactMap { key in
                let child = row + " " + key.child.name
                let inner = leases(of: child, in: key.child.name)
                guard !inner.isEmpty else { return nil }
                return """
                    EXISTS (SELECT 1 FROM \(key.child.name.quotedIdentifier) AS \(child.quotedIdentifier) \
                    WHERE \(key.matches(child: child, parent: row)) AND (\(inner.balanced("OR"))))
                    """
            }
    }

    /// SQL that is true if the row `row` of `table` has a lease.
    private static func call(on table: TableSchema, row: String) -> String {
        let key = table.leaseKey.map { "\(row.quotedIdentifier).\($0.quotedIdentifier)" }
        return "\(function)(\(([table.name.quoted("'")] + key).joined(separator: ", ")))"
    }

    /// The SQL function. Its arguments are a table and the key of a row.
    static let function = "pruned_is_leased"
}
