import TestSupport
import Foundation

/// What `pruned status --json` says.
struct StatusReport: Decodable {
    let configuration: String?
    let dropIns: [String]
    let damaged: [Damage]
    let configurationReason: String?
    let inForceSince: Date?
    let serviceRunning: Bool?
    let clockReason: String?
    let clockCommand: String?
    let rules: [Rule]
    let holds: [Hold]
    let stores: [Store]
    let deletedPerDay: [Day]

    struct Rule: Decodable {
        let rule: String
        let state: String
        let lastRunAt: Date?
        let deleted: Int?
        let dependentsDeleted: Int?
        let cameBack: Int?
        let durationMs: Double?
        let progress: Progress?
        let due: Bool
        let nextRunAt: Date?
        let waitsFor: String?
        let reason: String?
        let hint: String?
    }

    struct Progress: Decodable {
        let done: Int
        let expired: Int
        let leftMs: Double?
    }

    struct Damage: Decodable {
        let path: String
        let reason: String
        let hint: String
    }

    struct Hold: Decodable {
        let rule: String
        let expired: Int?
        let rows: Int?
        let waitsFor: String?
        let reason: String
        let hint: String?
        let confirmedAt: Date?
        let commands: [String]
    }

    struct Store: Decodable {
        let store: String
        let exists: Bool
        let bytes: Int?
        let freeBytes: Int?
        let runBy: String?
        let reason: String?
    }

    struct Day: Decodable {
        let day: String
        let rows: Int
    }

    subscript(rule: String) -> Rule? { rules.first { $0.rule == rule } }
}

extension EndedProgram {
    /// The status on its standard output.
    func statusReport() throws -> StatusReport {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        decoder.dateDecodingStrategy = .iso8601
        do {
            return try decoder.decode(StatusReport.self, from: Data(output.utf8))
        } catch {
            throw ProgramFailed(program: self)
        }
    }
}
