import Pruning
import Retention

/// What a store's definition says about its app.
struct AppTerms {
    var store: Name?
    /// Nil for a store that may have any schema.
    var gate: StoreGate?
    /// See ``StoreDefinition/skipWhileLocked``.
    var lockFile: String?

    /// The lock of the app; nil if it has none.
    func lock(beside store: StoreFile) -> AppLock? { lockFile.map { AppLock($0, beside: store) } }
}

extension StoreDefinition {
    var appTerms: AppTerms { AppTerms(store: name, gate: gate, lockFile: skipWhileLocked) }
}
