import Pruning
import Retention

/// Asks the server how it would run a batch, before the first one runs.
struct PlanCheck {
    let statements: BatchStatements
    let connection: Connection

    /// Throws if a batch would read the whole of `leaf` to find the rows of a few pages.
    func refuseScans(of leaf: Relation, pages: Int64) throws {
        guard pages > Self.fewPages else { return }
        let statement =
            statements.isPlain
            ? statements.samples(in: leaf).deletion : statements.samples(in: leaf).locking
        let plan = try connection.query("EXPLAIN \(statement.sql)", statement.values)
        let steps = plan.rows.compactMap { $0[0] }
        guard !steps.contains(where: { $0.contains("Tid Range Scan on \(leaf.name.shortestIdentifier)") })
        else { return }
        let scan =
            steps.first { $0.contains(" on \(leaf.name.shortestIdentifier)") && $0.contains("Scan") } ?? ""
        throw StoreError(
            .schema, operation: "delete rows of \(leaf.description)", place: connection.place,
            cause: "the server would not read ranges of pages, but: \(scan.trimmed)",
            hint: "run ANALYZE on the table; this server's settings for the planner may forbid such scans")
    }

    /// Of so few pages each plan is good enough.
    private static let fewPages: Int64 = 64
}

extension String {
    fileprivate var trimmed: String {
        String(drop { $0 == " " || $0 == "-" || $0 == ">" })
    }
}
