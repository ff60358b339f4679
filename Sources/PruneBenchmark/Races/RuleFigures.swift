/// What a report of pruned's says of a rule, under the same names.
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
}
