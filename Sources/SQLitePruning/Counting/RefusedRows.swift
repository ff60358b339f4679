import Pruning
import SQLite

/// The expired rows that triggers of the app's would not let go.
struct RefusedRows {
    let condition: ExpiryCondition
    /// The path of the store.
    let path: String

    /// Throws a ``StoreError`` that names the first trigger that refuses a row.
    func check(in db: Database) throws {
        let table = condition.bound.table
        for refusing in condition.bound.refusing {
            let expired = (condition.withinWindow + [condition.expired]).joined(separator: " AND ")
            // The limit keeps SQLite from asking the trigger's condition of rows that it would never meet.
            let rows = try db.value(
                """
                SELECT count(*) FROM (SELECT * FROM \(table.name.quotedIdentifier) WHERE \(expired) LIMIT -1) AS old \
                WHERE \(refusing.sql)
                """, condition.values()
            ).integer
            guard rows > 0 else { continue }
            throw StoreError(
                .schema, operation: "apply rule \(condition.task.rule.name)", place: path,
                cause:
                    "trigger \(refusing.trigger) refuses to let \(rows) expired \(rows == 1 ? "row" : "rows") of"
                    + " \(table.name) go" + (refusing.words.map { ": \($0)" } ?? ""),
                hint: StoreHint.refusingTrigger)
        }
    }
}
