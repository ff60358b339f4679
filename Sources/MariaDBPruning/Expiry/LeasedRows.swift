import Archive
import FoundationEssentials
import Pruning
import RuleEngine

/// The rows that were put back from the archive and must stay for a while.
struct LeasedRows {
    /// SQL that is true of a row without a lease.
    let isAbsent: String
    let end: Date?

    /// Finds the leased ones among the rows that are old enough, because the archive only has fingerprints of their keys,
    /// and those with which a leased row would go. Nil if there are none.
    ///
    /// `isPast` is true of a row that is old enough, and `earlier` is what the rules before are presumed to have done.
    init?(
        of bound: BoundRule, isPast: [String], after earlier: EarlierRules, in connection: Connection,
        leases: (Relation) throws -> Leases?
    ) throws {
        var (found, ends): ([[String]], [Date]) = ([], [])
        for path in [[]] + bound.paths {
            let table = path.last?.child ?? bound.relation
            guard let leases = try leases(table), !leases.isEmpty else { continue }
            var (joins, name) = ("", bound.relation.alias)
            for (number, step) in path.enumerated() {
                let child = "pruned dependent \(number)".quotedIdentifier
                joins +=
                    " JOIN \(earlier.source(of: step.child)) AS \(child) ON \(step.matches(child: child, parent: name))"
                name = child
            }
            let place = isPast.isEmpty ? "" : " WHERE " + isPast.joined(separator: " AND ")
            let leased = try RowKey(of: table, as: name).selected
            let rows = try connection.query(
                "\(earlier.with)SELECT \(bound.key.selected), \(leased) FROM \(earlier.source(of: bound.relation)) AS \(bound.relation.alias)\(joins)\(place)"
            ).rows
            let width = bound.key.columns.count
            for row in rows where leases.contains(RowKey.fingerprint(row[width...])) {
                found.append(bound.key.literals(row[..<width]))
            }
            ends += [leases.end].compactMap(\.self)
        }
        guard !found.isEmpty else { return nil }
        (isAbsent, end) = ("NOT (\(bound.key.isOne(of: found)))", ends.max())
    }
}
