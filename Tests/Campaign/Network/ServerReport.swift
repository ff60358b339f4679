import Foundation

/// What a run or a restore has reported as JSON.
struct ServerReport: Decodable {
    struct Rule: Decodable {
        let outcome: String
        let deleted: Int?
        let restored: Int?
        let reason: String?
        let hint: String?
    }

    let run_id: String
    let outcome: String
    let rules: [Rule]

    /// Nil if it is none.
    init?(_ run: Spawned) {
        guard let report = try? JSONDecoder().decode(Self.self, from: Data(run.output.utf8)) else {
            return nil
        }
        self = report
    }

    /// How many rows it says are done: deleted, marked or put back.
    var done: Int { rules.reduce(0) { $0 + ($1.deleted ?? $1.restored ?? 0) } }

    /// Whether it says that more rows may be done.
    var isUnsure: Bool { rules.contains { $0.reason?.contains("unknown whether") ?? false } }
}
