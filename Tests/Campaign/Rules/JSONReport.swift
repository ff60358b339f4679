import Foundation

/// What a run, a plan or a restore says of itself with `--json`.
struct JSONReport: Decodable {
    struct Rule: Decodable {
        let rule: String
        let outcome: String
        let cutoff: String?
        let expired: Int?
        let deleted: Int?
        let dependentsDeleted: Int?
        let keptImplausible: Int?
        let cameBack: Int?
        let reason: String?
        let rows: Int?
        let dependentsExpired: Int?
        let stays: [Staying]?
    }

    struct Staying: Decodable {
        let rows: Int
    }

    let runId: String
    let startedAt: String
    let outcome: String
    let rules: [Rule]

    /// Nil when the program printed no report.
    init?(_ program: Spawned) {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        guard let report = try? decoder.decode(JSONReport.self, from: Data(program.output.utf8)) else {
            return nil
        }
        self = report
    }

    subscript(rule: String) -> Rule? { rules.first { $0.rule == rule } }
}
