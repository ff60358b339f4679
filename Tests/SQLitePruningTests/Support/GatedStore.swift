import CSQLite
import Pruning
import Retention
import SQLite
import TestSupport
import Testing

@testable import SQLitePruning

extension TemporaryStore {
    /// The file as the store `s` of a policy that says more of its app.
    func store(gate: StoreGate?, lockFile: String? = nil, rules: [RetentionRule] = []) -> SQLiteStore {
        var definition = StoreDefinition(name: "s", path: path)
        (definition.gate, definition.skipWhileLocked) = (gate, lockFile)
        return SQLiteStore(
            definition, path: path, holder: "a test", rules: rules, monotonic: systemMonotonic)
    }

    /// What a run of one rule reports of it behind `gate`.
    func outcome(_ rule: RetentionRule = .old(), behind gate: StoreGate, dryRun: Bool = false) -> RuleReport {
        PruneRun.report([rule], on: [store(gate: gate)], dryRun: dryRun).rules[0]
    }
}

extension StoreSchema {
    /// That of a database that these statements make.
    init(sql: String) throws {
        let db = try Database(uri: ":memory:", isReadOnly: false, busyTimeout: 0)
        defer { db.close() }
        let code = sqlite3_exec(db.handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw DatabaseError(code, of: db.handle) }
        try self.init(in: db)
    }
}

extension StoreGate {
    /// A gate that knows one schema, which these statements make.
    init(_ sql: String, triggers: Set<String> = [], accepting accepted: Set<String> = []) {
        var schema = StoreSchema()
        do { schema = try StoreSchema(sql: sql) } catch { Issue.record("\(error): \(sql)") }
        self.init([Known(versions: "1", schema)], triggers: triggers, acceptedColumns: accepted)
    }
}
