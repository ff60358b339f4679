import Pruning
import Retention
import SQLitePruning
import TestSupport

extension TemporaryStore {
    /// The file as the store `s` of a policy that says more of its app.
    func store(gate: StoreGate?, lockFile: String? = nil) -> SQLiteStore {
        var definition = StoreDefinition(name: "s", path: path)
        (definition.gate, definition.skipWhileLocked) = (gate, lockFile)
        return SQLiteStore(definition, path: path, holder: "a test", monotonic: systemMonotonic)
    }

    /// What a run of one rule reports of it behind `gate`.
    func outcome(_ rule: RetentionRule = .old(), behind gate: StoreGate, dryRun: Bool = false) -> RuleReport {
        PruneRun.report([rule], on: [store(gate: gate)], dryRun: dryRun).rules[0]
    }
}

extension StoreGate {
    /// A gate that knows one schema.
    init(_ sql: String, triggers: Set<String> = [], accepting accepted: Set<String> = []) {
        self.init(
            schemas: [Schema(versions: "1", text: sql)], triggers: triggers, acceptedColumns: accepted)
    }
}
