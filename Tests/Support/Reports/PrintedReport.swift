/// What `pruned --run-now --json` and `pruned plan --json` print.
package struct PrintedReport: PrintedJSON {
    package let runId: String
    package let startedAt: String
    package let dryRun: Bool
    package let outcome: String
    package let rules: [Rule]
    /// Nil of builds that gave no space back.
    package let reclaimed: [Reclaim]?

    package struct Rule: PrintedJSON, Codable, Equatable, Sendable {
        package let rule: String
        package let store: String
        package let outcome: String
        package let cutoff: String
        package let expired: Int?
        package let deleted: Int
        package let dependentsDeleted: Int
        package let keptImplausible: Int
        package let cameBack: Int?
        package let batches: Int
        package let longestBatchMs: Double
        package let durationMs: Double
        package let accessPath: String?
        /// What older builds call the access path.
        package let plan: String?
        package let reason: String?
        package let hint: String?

        // Only in a plan.
        package let rows: Int?
        package let dependentsExpired: Int?
        package let oldestExpired: String?
        package let newestExpired: String?
        package let nextExpiry: String?
        package let stays: [Staying]?
        package let histogram: [Bar]?
    }

    /// Rows that are old enough, and why they stay.
    package struct Staying: Codable, Equatable, Sendable {
        package let key: String
        package let rows: Int
    }

    /// The rows of some time.
    package struct Bar: Codable, Equatable, Sendable {
        package let to: String?
        package let rows: Int
    }

    /// Free pages that were given back.
    package struct Reclaim: Codable, Equatable, Sendable {
        package let store: String
        package let outcome: String
        package let reclaimedBytes: Int
        package let freeBytes: Int?
        package let steps: Int
        package let longestStepMs: Double
        package let durationMs: Double
        package let reason: String?
    }

    package subscript(rule: String) -> Rule? { rules.first { $0.rule == rule } }

    /// How the rules that had something to delete found it.
    package var accessPaths: Set<String> { Set(rules.compactMap(\.accessPath)) }
    /// The rows deleted by each rule.
    package var deleted: [String: Int] {
        Dictionary(uniqueKeysWithValues: rules.map { ($0.rule, $0.deleted) })
    }
    /// The rows expired for each rule when the run began.
    package var expired: [String: Int] {
        Dictionary(uniqueKeysWithValues: rules.map { ($0.rule, $0.expired ?? -1) })
    }
}
