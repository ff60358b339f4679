import Retention

/// Prunes the archive like any other store, by rules on its own tables.
package enum ArchivePruning {
    /// The name of the archive as a store, and of the rule on archived rows. No policy may use it.
    package static let name: Name = RetentionPolicy.archiveName

    package static var ruleNames: [Name] { rules.map(\.name) }

    /// The rules that delete archived rows and the leases of restored rows once their time is over. They are rules on
    /// deadlines, so no share of the archive is too large to delete.
    static let rules = [
        RetentionRule(
            name: name, store: name, table: "batch", expiry: .deadline(column: "expires_at", grace: nil),
            dependents: ["identity"]),
        RetentionRule(
            name: "archive-leases", store: name, table: "lease",
            expiry: .deadline(column: "until", grace: nil)),
    ]
}
