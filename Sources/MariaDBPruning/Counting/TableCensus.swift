import Pruning
import Retention
import RuleEngine

/// Counts the rows that a rule would delete, those that it cannot judge, and those of other tables.
struct TableCensus {
    let condition: ExpiryCondition

    private var bound: BoundRule { condition.bound }

    private func integer(_ sql: String, in connection: Connection) throws -> Int64 {
        try connection.query(sql).integer(0, 0) ?? 0
    }

    func take(in connection: Connection) throws -> Census {
        let expired = try integer(
            condition.question("count(*)", where: [condition.expired], joined: true), in: connection)
        let implausible = try condition.isImplausible.map {
            try integer(condition.question("count(*)", where: [$0] + condition.wanted), in: connection)
        }
        return Census(expired: expired, implausible: implausible ?? 0)
    }

    /// Whether any row is old enough. True without an index that tells: to look would take as long as to count.
    func findsPast(in connection: Connection) throws -> Bool {
        guard bound.timeIndex != nil else { return true }
        return try integer(
            "SELECT EXISTS (\(condition.question("1", where: condition.isPast)))", in: connection) != 0
    }

    /// The fingerprint of the rows that ``take(in:)`` counts as expired.
    func fingerprint(in connection: Connection) throws -> RowsFingerprint {
        let found = try connection.query(
            condition.question(
                """
                count(*), CAST(MOD(SUM(CAST(\(bound.key.hash(with: bound.time)) AS UNSIGNED)), 18446744073709551616) AS \
                UNSIGNED)
                """, where: [condition.expired], joined: true))
        return RowsFingerprint(
            rows: found.integer(0, 0) ?? 0, sum: found.text(0, 1).flatMap { UInt64($0) } ?? 0)
    }

    /// How many rows of other tables would go with those that the rule takes.
    func dependents(of census: Census, in connection: Connection) throws -> Int64 {
        guard census.expired > 0, !bound.paths.isEmpty else { return 0 }
        var after = condition.earlier
        let taken = try after.presume(bound, condition.goingRows).dropFirst()
        // A row that is reached by two keys is one.
        return try Dictionary(grouping: taken, by: \.relation.tableName).values.reduce(0) { sum, ways in
            let rows = ways.map { "SELECT * FROM \($0.name)" }.joined(separator: " UNION ")
            return try sum
                + integer("\(after.with)SELECT count(*) FROM (\(rows)) AS rows_taken", in: connection)
        }
    }

    /// Throws a ``SchemaMismatch`` that names the first foreign key by which a row that stays holds one that would go. The
    /// server refuses to delete such rows, and a whole batch with them.
    func checkHolding(in connection: Connection) throws {
        guard !bound.holding.isEmpty else { return }
        var after = condition.earlier
        let taken = try after.presume(bound, condition.goingRows)
        for step in bound.holding {
            let key = try RowKey(of: step.parent)
            let isTaken = key.index.columns.enumerated().map { "t.k\($0) = p.\($1.quotedIdentifier)" }
            let rows = try taken.filter { $0.relation == step.parent }.reduce(0 as Int64) { sum, taken in
                sum
                    + (try integer(
                        """
                        \(after.with)SELECT count(*) FROM \(taken.name) AS t JOIN \(step.parent.sql) AS p \
                        ON \(isTaken.joined(separator: " AND ")) WHERE EXISTS (SELECT 1 FROM \(after.source(of: step.child)) AS c \
                        WHERE \(step.matches(child: "c", parent: "p")))
                        """, in: connection))
            }
            guard rows > 0 else { continue }
            let held = HeldRows(
                rows, of: step.parent.description, by: "rows of \(step.child.description)",
                key: step.key.name ?? "")
            throw SchemaMismatch(held.cause, hint: bound.binding.hint(holding: step.key))
        }
    }
}
