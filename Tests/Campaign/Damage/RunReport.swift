import Foundation

/// What `--run-now --json` says of each rule.
struct RunReport: Decodable {
    struct Rule: Decodable {
        let rule: String
        let store: String
        let outcome: String
        let deleted: Int
        let batches: Int
        let reason: String?
    }

    let run_id: String
    let rules: [Rule]

    init?(_ output: String) {
        guard let report = try? JSONDecoder().decode(Self.self, from: Data(output.utf8)) else { return nil }
        self = report
    }
}
