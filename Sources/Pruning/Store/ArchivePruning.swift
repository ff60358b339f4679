import FoundationEssentials
import Retention

/// Prunes an archive like any other store, by rules on its own tables.
package enum ArchivePruning {
    /// The name of every archive as a store, and of the rule on archived rows. No policy may use it.
    package static let name: Name = RetentionPolicy.archiveName

    package static var ruleNames: [Name] { rules.map(\.name) }

    /// The work of a run that begins at `start`.
    static func tasks(at start: Date) -> [PruneTask] {
        rules.map { PruneTask($0, start: start, in: .gmt) }
    }

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
