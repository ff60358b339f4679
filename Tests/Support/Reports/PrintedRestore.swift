/// What `pruned restore --json` prints.
package struct PrintedRestore: PrintedJSON {
    package let outcome: String
    package let rules: [Rule]

    package struct Rule: Decodable, Equatable, Sendable {
        package let rule: String
        package let archived: Int
        package let outcome: String
        package let reason: String?
        package let restored: Int
        package let skipped: [String: Int]
    }
}
