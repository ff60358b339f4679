/// What a report of pruned's says of the space that it gave back, under the same names.
struct ReclaimFigures: Codable, Equatable {
    let outcome: String
    let reclaimedBytes: Int64
    let steps: Int
    let longestStepMilliseconds: Double
    let durationMilliseconds: Double
    let reason: String?

    enum CodingKeys: String, CodingKey {
        case outcome, steps, reason
        case reclaimedBytes = "reclaimed_bytes"
        case longestStepMilliseconds = "longest_step_ms"
        case durationMilliseconds = "duration_ms"
    }
}
