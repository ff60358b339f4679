import GRDB
import Pruning
import Retention

/// The view context of a SQLite file. It leaves nothing beside the file, not even `-wal` and `-shm`; only where a log
/// lies without its `-shm`, SQLite has to make that to read the log.
final class SQLiteView: ViewContext {
    private let path: String
    private let connection: Connection
    private let access: Connection.Access
    /// The file as it was when it was opened without locks; nil when SQLite's locks guard the reading.
    private let untouched: FileFacts?

    /// A file without `-wal` and `-journal` is whole in itself and is read without locks, for opening a file in WAL
    /// mode with them would create `-wal` and `-shm`. Such an answer counts only if the file is still untouched after
    /// the reading.
    init(path: String, control: RunControl) throws(StoreError) {
        self.path = path
        let facts = FileFacts(at: path)
        let isQuiet = Self.companions.allSatisfy { FileFacts(at: path + $0) == nil }
        access = isQuiet ? .readUntouched : .read
        untouched = isQuiet ? facts : nil
        connection = try Connection(access, path: path, control: control)
    }

    private static let companions = ["-wal", "-journal"]

    func validate(_ rule: RetentionRule) throws(StoreError) {
        try read("apply rule \(rule.name)") { db in _ = try self.bind(rule, in: db) }
    }

    func census(of task: PruneTask) throws(StoreError) -> Census {
        try read("count the expired rows of \(task.rule.table)") { db in
            let condition = try ExpiryCondition(bound: self.bind(task.rule, in: db), task: task, in: db)
            return try TableCensus(condition: condition).take(in: db)
        }
    }

    func rowCount(of rule: RetentionRule) throws(StoreError) -> Int64 {
        try read("count the rows of \(rule.table)") { db in
            let table = try self.bind(rule, in: db).table.name.quotedIdentifier
            return try Int64.fetchOne(db, sql: "SELECT count(*) FROM \(table)") ?? 0
        }
    }

    func verifyIntegrity() throws(StoreError) {
        let finding = try read("check the integrity") { db in
            try String.fetchOne(db, sql: "PRAGMA quick_check(1)")
        }
        guard finding == "ok" else {
            throw StoreError(
                .damaged, operation: "check the integrity", place: path, cause: finding ?? "no answer",
                hint: "restore it from a backup, or try .recover of the sqlite3 program")
        }
    }

    func close() {
        connection.close()
    }

    private func bind(_ rule: RetentionRule, in db: Database) throws -> BoundRule {
        try RuleValidation(rule: rule, path: path, uri: Connection.uri(access, path)).bind(in: db)
    }

    private func read<Result>(
        _ operation: String, _ body: (Database) throws -> Result
    ) throws(StoreError) -> Result {
        let outcome: Swift.Result<Result, StoreError>
        do {
            outcome = .success(
                try connection.perform(operation) { db in
                    try db.inSnapshot { try body(db) }
                })
        } catch {
            outcome = .failure(error)
        }
        let isDisturbed = Self.companions.contains { FileFacts(at: path + $0) != nil }
        if let untouched, isDisturbed || FileFacts(at: path) != untouched {
            throw StoreError(
                .busy, operation: operation, place: path, cause: "its app opened it while it was read",
                hint: "the next try reads it with locks")
        }
        return try outcome.get()
    }
}

extension Database {
    /// Runs `body` in a deferred transaction, so that all its statements see one state of the store.
    fileprivate func inSnapshot<Result>(_ body: () throws -> Result) throws -> Result {
        try beginTransaction(.deferred)
        defer { try? rollback() }  // nothing was written; a transaction that is gone already is fine
        return try body()
    }
}
