import Pruning
import Retention

/// What the policy says about a store and its app.
struct AppTerms {
    var store: Name?
    /// Nil for a store that may have any schema.
    var gate: StoreGate?
    /// See ``StoreDefinition/skipWhileLocked``.
    var lockFile: String?

    /// All rules of the policy on the store.
    var rules: [RetentionRule] = []

    /// The lock of the app; nil if it has none.
    func lock(beside store: StoreFile) -> AppLock? { lockFile.map { AppLock($0, beside: store) } }
}

extension StoreDefinition {
    var appTerms: AppTerms { AppTerms(store: name, gate: gate, lockFile: skipWhileLocked) }
}
