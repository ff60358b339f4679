import Conditions

/// Refuses a subquery that would read a whole table of many rows again and again.
struct ScanCheck {
    let condition: RowCondition
    let relation: Relation
    /// What the condition reads besides the rule's own table.
    let tables: [Relation]

    private static let mostRows = 10_000

    /// Settings with which the planner looks rows of other tables up one by one where an index lets it. It would otherwise
    /// rather read a whole table for each batch: in its order, or into a hash table, for which it then lacks memory.
    static let settings =
        "SET LOCAL enable_seqscan = off; SET LOCAL work_mem = '64kB'; SET LOCAL hash_mem_multiplier = 1"

    func check(in connection: Connection) throws {
        // To plan runs functions of the tables' owners, which are refused elsewhere, with what they are called by.
        guard !tables.isEmpty,
            try ([relation] + tables).allSatisfy({ try connection.calculations(readFrom: $0.oid).isEmpty })
        else { return }
        let scans = try [condition.isTrue, condition.isFalse].reduce(into: Set<ScannedTable>()) {
            scans, term in
            scans.formUnion(
                try connection.scans(
                    of:
                        "SELECT FROM \(relation.sql) AS \(relation.alias) WHERE \(relation.alias).ctid = '(0,1)' AND \(term)"
                ))
        }
        for table in tables {
            let oids = try connection.partitionTree(of: table.oid)
            let names = try connection.query(
                """
                SELECT n.nspname, c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace \
                WHERE c.oid = ANY ($1::oid[])
                """, [.arrayLiteral(oids.map { "\($0)" })]
            ).rows.map { ScannedTable(schema: $0[0] ?? "", name: $0[1] ?? "") }
            guard names.contains(where: { scans.contains($0) }) else { continue }
            let count = try connection.query(
                "SELECT count(*) FROM (SELECT 1 FROM \(table.sql) LIMIT \(Self.mostRows + 1)) rows"
            ).integer(0, 0)
            guard count ?? 0 > Self.mostRows else { continue }
            throw condition.scans(table.description, hint: hint(table))
        }
    }

    /// The index on the column of `table` that the subquery compares with the row.
    private func hint(_ table: Relation) -> String {
        guard let column = condition.condition.searched(in: table.description).first else {
            return "write EXISTS with a comparison of a column of \(table.description) that has an index"
        }
        return "CREATE INDEX ON \(table.sql) (\(column.quotedIdentifier))"
    }
}

struct ScannedTable: Hashable {
    let schema: String
    let name: String
}

extension Connection {
    /// The tables of which a statement reads all rows even if the planner avoids that where it can.
    func scans(of sql: String) throws -> Set<ScannedTable> {
        try run("SAVEPOINT pruned_scans; \(ScanCheck.settings)")
        do {
            let steps = try plan(of: sql)
            try run("ROLLBACK TO SAVEPOINT pruned_scans; RELEASE SAVEPOINT pruned_scans")
            // An index that is read from its start to its end is no better than the table.
            return Set(
                steps.filter {
                    $0.type.hasSuffix("Scan") && $0.indexCondition == nil && $0.recheckCondition == nil
                }
                .compactMap { step in
                    step.relation.map { ScannedTable(schema: step.schema ?? "", name: $0) }
                })
        } catch {
            if isOpen { try run("ROLLBACK TO SAVEPOINT pruned_scans; RELEASE SAVEPOINT pruned_scans") }
            throw error
        }
    }
}
