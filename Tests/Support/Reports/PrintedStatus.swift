import Foundation

/// What `pruned status --json` says.
package struct PrintedStatus: PrintedJSON {
    package let configuration: String?
    package let dropIns: [String]
    package let damaged: [Damage]
    package let configurationReason: String?
    package let inForceSince: Date?
    package let serviceRunning: Bool?
    package let clockReason: String?
    package let clockCommand: String?
    package let rules: [Rule]
    package let holds: [Hold]
    package let stores: [Store]
    package let deletedPerDay: [Day]

    package struct Rule: Decodable {
        package let rule: String
        package let state: String
        package let lastRunAt: Date?
        package let deleted: Int?
        package let dependentsDeleted: Int?
        package let cameBack: Int?
        package let durationMs: Double?
        package let progress: Progress?
        package let due: Bool
        package let nextRunAt: Date?
        package let waitsFor: String?
        package let rowsLeft: Int?
        package let backlogGrows: Bool
        package let reason: String?
        package let hint: String?
    }

    package struct Progress: Decodable {
        package let done: Int
        package let expired: Int
        package let leftMs: Double?
    }

    package struct Damage: Decodable {
        package let path: String
        package let reason: String
        package let hint: String
    }

    package struct Hold: Decodable {
        package let rule: String
        package let expired: Int?
        package let rows: Int?
        package let waitsFor: String?
        package let reason: String
        package let hint: String?
        package let confirmedAt: Date?
        package let commands: [String]
    }

    package struct Store: Decodable {
        package let store: String
        package let exists: Bool
        package let bytes: Int?
        package let freeBytes: Int?
        package let runBy: String?
        package let reason: String?
    }

    package struct Day: Decodable {
        package let day: String
        package let rows: Int
    }

    package subscript(rule: String) -> Rule? { rules.first { $0.rule == rule } }
}
