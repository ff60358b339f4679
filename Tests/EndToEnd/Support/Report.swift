import TestSupport
import Foundation

/// The report on standard output of `pruned --run-now --json`.
struct Report: Decodable {
    let outcome: String
    let dryRun: Bool
    let rules: [Rule]
    let reclaimed: [Reclaim]

    struct Rule: Decodable {
        let rule: String
        let outcome: String
        let expired: Int?
        let deleted: Int
        let dependentsDeleted: Int
        let keptImplausible: Int
        let cameBack: Int?
        let batches: Int
        let durationMs: Double
        let accessPath: String?
        let reason: String?
        let hint: String?
    }

    struct Reclaim: Decodable {
        let store: String
        let outcome: String
        let reclaimedBytes: Int
        let freeBytes: Int?
        let steps: Int
        let reason: String?
    }

    subscript(rule: String) -> Rule? { rules.first { $0.rule == rule } }

    /// How the rules that had something to delete found it.
    var accessPaths: Set<String> { Set(rules.compactMap(\.accessPath)) }
    /// The rows deleted by each rule.
    var deleted: [String: Int] { Dictionary(uniqueKeysWithValues: rules.map { ($0.rule, $0.deleted) }) }
    /// The rows expired for each rule when the run began.
    var expired: [String: Int] {
        Dictionary(uniqueKeysWithValues: rules.map { ($0.rule, $0.expired ?? -1) })
    }
}

extension EndedProgram {
    /// Its standard output as a report.
    func report() throws -> Report {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        do {
            return try decoder.decode(Report.self, from: Data(output.utf8))
        } catch {
            throw ProgramFailed(program: self)
        }
    }
}
