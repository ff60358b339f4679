import Foundation

/// What `pruned --run-now --json` and `pruned plan --json` print, as far as it matters here.
struct PrunedReport: Decodable {
    struct Rule: Codable, Equatable {
        let rule: String
        let outcome: String
        let expired: Int
        let deleted: Int
        let batches: Int
        let longestBatchMs: Double
        let reason: String?
        private let accessPath: String?
        /// What older builds call it.
        private let plan: String?

        /// How the rows were found.
        var path: String? { accessPath ?? plan }
    }

    /// Free pages that were given back.
    struct Reclaim: Codable, Equatable {
        let steps: Int
        let longestStepMs: Double
        let durationMs: Double
    }

    let rules: [Rule]
    let reclaimed: [Reclaim]?

    init(json: String) throws {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        self = try decoder.decode(Self.self, from: Data(json.utf8))
    }

    /// The job's rule.
    func rule() throws -> Rule {
        let found = rules.filter { $0.rule == Policy.ruleName }
        guard found.count == 1 else { throw BenchmarkError("the report has the rule \(found.count) times") }
        return found[0]
    }
}
