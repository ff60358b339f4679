import Pruning
import SQLite

/// A row whose deletion takes longer than an app could wait.
struct SlowRow {
    let bound: BoundRule
    let path: String

    /// The error, with `cause`, the reason and a hint.
    func failure(_ cause: String, in db: Database) throws -> StoreError {
        let (reason, hint) = try blame(in: db)
        return StoreError(
            .tooSlow, operation: Self.operation(bound), place: path,
            cause: [cause, reason].compactMap(\.self).joined(separator: "; "), hint: hint)
    }

    /// The operation that takes so long.
    static func operation(_ bound: BoundRule) -> String {
        (bound.mark == nil ? "delete" : "mark") + " a row of \(bound.table.name)"
    }

    /// The app's code that runs for each row, as part of a sentence.
    func suspect(in db: Database) throws -> String {
        try triggerReason(in: db)
            ?? "an index on an expression or a generated column may be the cause"
    }

    private func triggerReason(in db: Database) throws -> String? {
        let triggers = try triggers(in: db)
        return triggers.isEmpty ? nil : "each row runs trigger " + triggers.joined(separator: ", ")
    }

    private func blame(in db: Database) throws -> (reason: String?, hint: String) {
        if let scan = try ChildScan.all(of: bound, in: db).first {
            return (scan.cause, try scan.hint(in: db))
        }
        if let reason = try triggerReason(in: db) {
            return (
                reason,
                "the store's app must make that faster; if it may take so long, raise lock_time in [batch]"
            )
        }
        let dependents = bound.rule.dependents.sorted().joined(separator: ", ")
        return (
            dependents.isEmpty ? nil : "its rows of \(dependents) are deleted with it",
            "if the app can wait so long, raise lock_time in [batch]"
        )
    }

    private func triggers(in db: Database) throws -> [String] {
        let reach = try DeleteReach(of: bound.change("0 < 1"), in: db)
        return try db.rows("SELECT name FROM sqlite_schema WHERE type = 'trigger' ORDER BY name")
            .map(\.[0].string).filter(reach.code.contains)
    }
}
