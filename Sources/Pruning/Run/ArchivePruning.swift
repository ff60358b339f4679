import Retention

/// How the archive is pruned: as any other store, by rules on its own tables.
package enum ArchivePruning {
    /// The name of the archive as a store, and of the rule on what was archived; no policy may use it.
    package static let name: Name = RetentionPolicy.archiveName

    /// The names of its rules.
    package static var ruleNames: [Name] { rules.map(\.name) }

    /// The rules: archived rows go when their time is over, and so do the leases of rows that were put back. They are
    /// deadlines, and so no share of the archive is too large to go.
    static let rules = [
        RetentionRule(
            name: name, store: name, table: "batch", expiry: .deadline(column: "expires_at", grace: nil)),
        RetentionRule(
            name: "archive-leases", store: name, table: "lease",
            expiry: .deadline(column: "until", grace: nil)),
    ]
}
