import Pruning
import SQLite

/// The app may migrate its schema between two batches. A change is accepted if the rule stays valid and its tables stay
/// as they were.
struct SchemaWatch {
    let validation: RuleValidation
    let bound: BoundRule
    let path: String
    /// The version of the schema for which `bound` holds.
    private(set) var version: Int64
    /// The data version at the last check.
    private(set) var dataVersion: Int64

    /// Throws if a change of the schema is not accepted. `dataVersion` is that of the store now.
    mutating func check(asOf dataVersion: Int64, in db: Database) throws {
        guard dataVersion != self.dataVersion else { return }
        let version = try db.schemaVersion()
        if version != self.version {
            let now = try validation.bind(in: db)
            if let changed = bound.difference(to: now) {
                throw StoreError(
                    .schema, operation: "apply rule \(bound.rule.name)", place: path,
                    cause: "table \(changed) changed during the run", hint: "the next run starts afresh")
            }
        }
        (self.version, self.dataVersion) = (version, dataVersion)
    }
}
