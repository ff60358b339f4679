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
            hint: StoreHint.refusingTrigger)
    }

    /// Which triggers could say it, each with its table. SQLite does not tell.
    private static func names(saying message: String, in db: Database) throws -> [String] {
        let raising = try raising(in: db)
        let saying = raising.filter { $0.tokens.contains { $0.isQuoted && $0.text == message } }
        return (saying.isEmpty ? raising : saying).map { "\($0.name) on \($0.table)" }
    }

    /// Those that a deletion of rows of `tables` fires and that may refuse it, but for the triggers `known`.
    static func all(
        deletingFrom tables: [String], but known: [String], in db: Database
    ) throws -> RefusingTriggers {
        let names = Set(tables.map(\.comparedName))
        let found = try raising(in: db).filter { trigger in
            guard names.contains(trigger.table.comparedName), !known.contains(trigger.name),
                let on = trigger.tokens.firstIndex(where: { $0.isWord("on") })
            else { return false }
            return on > 0 && trigger.tokens[on - 1].isWord("delete")
        }
        return RefusingTriggers(found.map { "\($0.name) on \($0.table)" })
    }

    /// The triggers with a RAISE.
    private static func raising(
        in db: Database
    ) throws -> [(name: String, table: String, tokens: [SQLToken])] {
        try db.rows(
            "SELECT name, tbl_name, sql FROM sqlite_schema WHERE type = 'trigger' AND sql LIKE '%raise%' ORDER BY name"
        ).map { ($0[0].string, $0[1].string, SQLToken.all(of: $0[2].string)) }
            .filter { $0.tokens.contains { $0.isWord("raise") } }
    }
}
