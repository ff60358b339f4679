import CSQLite
import Pruning
import SQLite

/// A trigger of the app's that refuses a change of a row with RAISE.
enum RefusingTrigger {
    /// The error of `work` that names the trigger and what it says; nil if `error` is no such refusal.
    static func error(for error: DatabaseError, of work: StoreWork, in db: Database) -> StoreError? {
        // A foreign key with RESTRICT fails as a trigger of SQLite's own.
        guard error.code == SQLITE_CONSTRAINT | 7 << 8, !error.message.contains("FOREIGN KEY") else {
            return nil
        }
        let names = (try? names(saying: error.message, in: db)) ?? []
        let trigger = names.isEmpty ? "a trigger of the app" : "trigger " + names.joined(separator: " or ")
        return StoreError(
            .other, operation: work.operation, place: work.place,
            cause: "\(trigger) refuses it: \(error.message)",
            hint: "such rows can stay: write the trigger's condition into protect")
    }

    /// Which triggers could say it, each with its table. SQLite does not tell.
    private static func names(saying message: String, in db: Database) throws -> [String] {
        let triggers = try db.rows(
            "SELECT name, tbl_name, sql FROM sqlite_schema WHERE type = 'trigger' AND sql IS NOT NULL ORDER BY name"
        ).map { (name: "\($0[0].string) on \($0[1].string)", tokens: SQLToken.all(of: $0[2].string)) }
        let raising = triggers.filter { $0.tokens.contains { $0.isWord("raise") } }
        let saying = raising.filter { $0.tokens.contains { $0.isQuoted && $0.text == message } }
        return (saying.isEmpty ? raising : saying).map(\.name)
    }
}
