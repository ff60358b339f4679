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
        let steps = try connection.plan(of: statement.sql, statement.values).filter {
            $0.relation == leaf.name && $0.type.hasSuffix("Scan")
        }
        guard !steps.contains(where: { $0.type == "Tid Range Scan" }) else { return }
        throw StoreError(
            .schema, operation: "delete rows of \(leaf.description)", place: connection.place,
            cause:
                "the server would not read ranges of pages, but by \(steps.first?.type ?? "no scan of it")",
            hint: "run ANALYZE on the table; this server's settings for the planner may forbid such scans")
    }

    /// Of so few pages each plan is good enough.
    private static let fewPages: Int64 = 64
}
