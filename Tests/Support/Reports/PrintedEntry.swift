/// A line of `pruned history --json`.
package struct PrintedEntry: PrintedJSON {
    package let kind: String
    package let by: String
    package let runId: String?
    package let outcome: String?
    package let rules: [Rule]?
    package let repeats: [Repeated]?
    package let expired: Int?
    package let rows: Int?
    package let reason: String?

    package struct Rule: Decodable, Sendable {
        package let rule: String
        package let outcome: String
        package let deleted: Int
        package let reason: String?
    }

    package struct Repeated: Decodable, Sendable {
        package let rule: String
        package let outcome: String
        package let runs: Int
    }
}
