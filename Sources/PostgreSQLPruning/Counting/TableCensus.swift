import Pruning
import Retention

/// Counts the rows that a rule would delete, and those that it cannot judge.
struct TableCensus {
    let condition: ExpiryCondition

    private var bound: BoundRule { condition.bound }

    /// What an earlier run began to drop is counted once more, as it is still there.
    func take(in connection: Connection) throws -> Census {
        let census = try countVisible(in: connection)
        let left = try leftPartitions(in: connection)?.expired(by: condition, in: connection) ?? 0
        return Census(expired: census.expired + left, implausible: census.implausible)
    }

    private func leftPartitions(in connection: Connection) throws -> LeftPartitions? {
        condition.dropsPartitions ? try LeftPartitions(of: bound.relation, in: connection) : nil
    }

    /// With an index on time, each number has a range of the index; else one pass over the table counts both.
    private func countVisible(in connection: Connection) throws -> Census {
        guard let implausible = condition.isImplausible else {
            return Census(expired: try countExpired(in: connection), implausible: 0)
        }
        guard !bound.hasTimeIndex else {
            return Census(
                expired: try countExpired(in: connection),
                implausible: try countImplausible(in: connection))
        }
        let from = condition.from()
        let unjudged = ([implausible] + condition.wanted).joined(separator: " AND ")
        let found = try connection.query(
            """
            \(condition.with(of: from))SELECT count(*) FILTER (WHERE \(condition.expired)), \
            count(*) FILTER (WHERE \(unjudged)) \(from)\(condition.join)
            """)
        return Census(expired: found.integer(0, 0) ?? 0, implausible: found.integer(0, 1) ?? 0)
    }

    var expiredQuestion: String { question("count(*)", where: condition.expired) }

    private func question(_ sums: String, where term: String) -> String {
        let from = condition.from()
        return "\(condition.with(of: from))SELECT \(sums) \(from)\(condition.join) WHERE \(term)"
    }

    private func countExpired(in connection: Connection) throws -> Int64 {
        try connection.query(expiredQuestion).integer(0, 0) ?? 0
    }

    private func countImplausible(in connection: Connection) throws -> Int64 {
        guard let time = bound.time else { return 0 }
        let nulls = condition.nullNeverExpires ? [] : ["\(time.sql) IS NULL"]
        let from = condition.from()
        return try (nulls + time.outside).reduce(0) { sum, term in
            let place = ([term] + condition.wanted).joined(separator: " AND ")
            let found = try connection.query(
                "\(condition.with(of: from))SELECT count(*) \(from) WHERE \(place)")
            return sum + (found.integer(0, 0) ?? 0)
        }
    }

    /// Whether any row is old enough. True without an index that tells: to look would take as long as to count.
    func findsPast(in connection: Connection) throws -> Bool {
        guard bound.hasTimeIndex, try leftPartitions(in: connection)?.tables.isEmpty ?? true else {
            return true
        }
        return try connection.query(
            "SELECT EXISTS (SELECT 1 \(condition.from()) WHERE \(condition.isPast.joined(separator: " AND ")))"
        ).isTrue(0, 0)
    }

    /// The fingerprint of the rows that ``take(in:)`` counts as expired.
    func fingerprint(in connection: Connection) throws -> RowsFingerprint {
        let found = try connection.query(fingerprintQuestion)
        return RowHash.fingerprint(rows: found.integer(0, 0) ?? 0, sum: found.text(0, 1))
    }

    var fingerprintQuestion: String {
        question("count(*), \(RowHash(of: bound).sum)", where: condition.expired)
    }

    /// How many rows of the rule's dependents refer to rows that would go; nil where only the deletion can tell.
    func dependents(of census: Census, in connection: Connection) throws -> Int64? {
        let keys = bound.cascades.filter(\.cascades)
        guard census.expired > 0, !keys.isEmpty else { return 0 }
        guard keys.allSatisfy({ $0.parent == bound.relation.oid }) else { return nil }
        return try Dictionary(grouping: keys, by: \.child).values.reduce(0 as Int64?) { sum, keys in
            let child = try connection.relation(keys[0].child)
            // The server deletes them whether or not the role may look at them.
            guard let sum, try connection.hasPrivilege("SELECT", on: child) else { return nil }
            let (from, other) = (condition.from(), "pruned dependent".quotedIdentifier)
            // A row that is reached by two keys is one.
            let ways = keys.map { key in
                let match = zip(key.childColumns, key.parentColumns).map {
                    "\(other).\($0.quotedIdentifier) = \(bound.relation.column($1))"
                }
                return
                    "EXISTS (SELECT \(from)\(condition.join) WHERE \((match + condition.terms).joined(separator: " AND ")))"
            }
            let found = try connection.query(
                """
                \(condition.with(of: from))SELECT count(*) FROM \(condition.source(of: child)) AS \(other) \
                WHERE \(ways.joined(separator: " OR "))
                """)
            return sum + (found.integer(0, 0) ?? 0)
        }
    }
}
