import Archive
import FoundationEssentials
import Pruning

/// The rows that were put back from the archive and must stay for a while.
struct LeasedRows {
    /// The keys of the rows, as ``RowKey`` writes them.
    private let keys: [String]
    private let key: RowKey
    let end: Date?

    /// Finds the leased ones among the rows that are old enough, because the archive only has fingerprints of their keys,
    /// and those with which a leased row would go. Nil if there are none.
    init?(
        of condition: ExpiryCondition, in connection: Connection, leases: (Relation) throws -> Leases?
    ) throws {
        let relation = condition.bound.relation
        var (found, ends): (Set<String>, [Date]) = ([], [])
        for path in try Self.paths(from: relation, behind: [], condition, in: connection, leases: leases) {
            found.formUnion(try Self.keys(at: path, of: condition, in: connection))
            ends += [path.leases.end].compactMap(\.self)
        }
        guard !found.isEmpty else { return nil }
        (keys, key, end) = (found.sorted(), RowKey(of: relation), ends.max())
    }

    /// Foreign keys from the rule's table to one whose rows have leases.
    private struct Path {
        let steps: [(key: ForeignKeyConstraint, child: Relation)]
        let leases: Leases
    }

    private static func paths(
        from table: Relation, behind steps: [(key: ForeignKeyConstraint, child: Relation)],
        _ condition: ExpiryCondition,
        in connection: Connection, leases: (Relation) throws -> Leases?
    ) throws -> [Path] {
        var found: [Path] = []
        if let own = try leases(table), !own.isEmpty { found.append(Path(steps: steps, leases: own)) }
        let cascades = condition.bound.cascades.filter(\.cascades)
        guard !cascades.isEmpty else { return found }
        let parts = try connection.partitionTree(of: table.oid)
        for key in cascades where parts.contains(key.parent) {
            let child = try connection.relation(key.child)
            guard !steps.contains(where: { $0.child.oid == child.oid }), child.oid != table.oid else {
                guard try condition.bound.dependentsHaveLeases(leases, in: connection) else { continue }
                throw Leases.untold(
                    of: condition.bound.rule, under: condition.bound.relation.description,
                    in: child.description)
            }
            found += try paths(
                from: child, behind: steps + [(key, child)], condition, in: connection, leases: leases)
        }
        return found
    }

    /// The keys of the rule's rows that are old enough and to which leased rows at the end of a path belong.
    private static func keys(
        at path: Path, of condition: ExpiryCondition, in connection: Connection
    ) throws -> [String] {
        let relation = condition.bound.relation
        var (joins, parent, leased) = ("", relation.alias, RowKey(of: relation))
        for (number, step) in path.steps.enumerated() {
            let name = "pruned dependent \(number)".quotedIdentifier
            let match = zip(step.key.childColumns, step.key.parentColumns).map {
                "\(name).\($0.quotedIdentifier) = \(parent).\($1.quotedIdentifier)"
            }
            joins +=
                " JOIN \(condition.source(of: step.child)) AS \(name) ON \(match.joined(separator: " AND "))"
            (parent, leased) = (name, RowKey(of: step.child, as: name))
        }
        let place = condition.isPast.isEmpty ? "" : " WHERE " + condition.isPast.joined(separator: " AND ")
        let from = condition.from()
        let found = try connection.query(
            "\(condition.with(of: from))SELECT \(RowKey(of: relation).sql), \(leased.sql) \(from)\(joins)\(place)"
        )
        return (0..<found.count).compactMap { row in
            guard let bytes = found.bytes(row, 1), path.leases.contains(Leases.fingerprint(of: bytes)) else {
                return nil
            }
            return found.bytes(row, 0).map { String(decoding: $0, as: UTF8.self) }
        }
    }

    /// SQL that is true of a row without a lease.
    var isAbsent: String {
        "\(key.sql) <> ALL (\(String.arrayLiteral(keys).quotedLiteral)::text[])"
    }
}

extension BoundRule {
    fileprivate func dependentsHaveLeases(
        _ leases: (Relation) throws -> Leases?, in connection: Connection
    ) throws -> Bool {
        try cascades.contains { try leases(connection.relation($0.child))?.isEmpty == false }
    }
}
