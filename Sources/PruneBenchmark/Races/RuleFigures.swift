import Foundation

/// What pruned's report says of the run's one rule.
struct RuleFigures: Codable, Equatable {
    let outcome: String
    let deleted: Int
    let dependentsDeleted: Int
    let plan: String?
    let batches: Int
    let longestBatchMilliseconds: Double
    let durationMilliseconds: Double
    let reason: String?

    enum CodingKeys: String, CodingKey {
        case outcome, deleted, plan, batches, reason
        case dependentsDeleted = "dependents_deleted"
        case longestBatchMilliseconds = "longest_batch_ms"
        case durationMilliseconds = "duration_ms"
    }

    /// Reads what `--json` prints.
    init(report: String) throws {
        struct Report: Decodable {
            let rules: [RuleFigures]
        }
        let rules = try JSONDecoder().decode(Report.self, from: Data(report.utf8)).rules
        guard rules.count == 1, let rule = rules.first else {
            throw WrongResult("the report has \(rules.count) rules: \(report)")
        }
        self = rule
    }
}
