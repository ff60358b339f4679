import Pruning
import RuleEngine

/// An error of work on a connection that becomes one of the store when the operation and the place are known.
protocol PlacelessError: Error {
    func error(of operation: String, place: String) -> StoreError
}

extension SchemaMismatch: PlacelessError {
    func error(of operation: String, place: String) -> StoreError {
        StoreError(kind, operation: operation, place: place, cause: cause, hint: hint)
    }
}
