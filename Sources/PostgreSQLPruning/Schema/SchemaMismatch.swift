import Pruning
import Retention

/// Why a rule does not fit the schema, and what helps.
struct SchemaMismatch: PlacelessError {
    let cause: String
    let hint: String?
    /// The kind of the error that it becomes.
    var kind = StoreErrorKind.schema
    /// The keys of the setting that is to blame, below the rule.
    var keys: [String] = []
    /// Its value, as a file writes it.
    var value: String?

    init(
        _ cause: String, hint: String?, kind: StoreErrorKind = .schema, keys: [String] = [],
        value: String? = nil
    ) {
        (self.cause, self.hint, self.kind, self.keys, self.value) = (cause, hint, kind, keys, value)
    }

    func error(of rule: RetentionRule, place: String) -> StoreError {
        StoreError(
            kind, operation: "apply rule \(rule.name)", place: place, cause: cause, hint: hint,
            setting: keys.isEmpty ? nil : BlamedSetting(of: rule.name, keys, value: value))
    }

    func error(of operation: String, place: String) -> StoreError {
        StoreError(kind, operation: operation, place: place, cause: cause, hint: hint)
    }

    /// Runs `body`, and gives a mismatch without a setting this one.
    static func blaming<Result>(
        _ keys: [String], _ value: String? = nil, _ body: () throws -> Result
    ) throws -> Result {
        do {
            return try body()
        } catch var mismatch as SchemaMismatch {
            if mismatch.keys.isEmpty { (mismatch.keys, mismatch.value) = (keys, value) }
            throw mismatch
        }
    }
}
