import Pruning
import Retention

/// Why a rule does not fit the schema of its store, and what helps.
package struct SchemaMismatch: Error {
    package let cause: String
    package let hint: String?
    /// The kind of the error that it becomes.
    package let kind: StoreErrorKind
    /// The keys of the setting that is to blame, below the rule; empty if it is the rule as a whole.
    package private(set) var keys: [String]
    /// Its value as a file writes it; nil if the cause has it.
    private var value: String?

    package init(
        _ cause: String, hint: String?, kind: StoreErrorKind = .schema, keys: [String] = [],
        value: String? = nil
    ) {
        (self.cause, self.hint, self.kind, self.keys, self.value) = (cause, hint, kind, keys, value)
    }

    /// What was bound is not there any more.
    /// The rule reaches a table that is not in the gate's schema of `versions`, about which nothing was compared.
    package static func uncovered(_ table: String, by versions: String, through ways: String)
        -> SchemaMismatch
    {
        SchemaMismatch(
            "the rule reaches table \(table), which the gate's schema of \(versions) does not have",
            hint: "\(ways) leads there: a newer preset may know it")
    }

    package static func gone(_ name: String) -> SchemaMismatch {
        SchemaMismatch("\(name) is gone", hint: "`pruned check` says whether the rules still fit")
    }

    package func error(of rule: RetentionRule, place: String) -> StoreError {
        StoreError(
            kind, operation: "apply rule \(rule.name)", place: place, cause: cause, hint: hint,
            setting: BlamedSetting(of: rule.name, keys, value: value))
    }

    /// Runs `body`. A mismatch that blames no setting yet blames the one at `keys`, whose value a file writes as `value`.
    package static func blaming<Result>(
        _ keys: [String], _ value: String? = nil, _ body: () throws -> Result
    ) throws -> Result {
        do {
            return try body()
        } catch var mismatch as SchemaMismatch where mismatch.keys.isEmpty {
            (mismatch.keys, mismatch.value) = (keys, value)
            throw mismatch
        }
    }

    /// The same for a key of the rule whose value is a string.
    package static func blaming<Result>(
        _ key: RuleKey, _ value: String, _ body: () throws -> Result
    ) throws -> Result {
        try blaming([key.rawValue], value.inQuotes, body)
    }
}
