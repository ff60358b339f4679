import Foundation

/// What `pruned plan --json` prints.
struct PlanReport: Decodable {
    struct Rule: Decodable {
        let rule: String
        let expired: Int
    }

    let rules: [Rule]

    init(json: String) throws {
        self = try JSONDecoder().decode(Self.self, from: Data(json.utf8))
    }

    /// Throws unless the job's rule would delete so many rows.
    func expect(_ expired: Int) throws {
        let planned = rules.first { $0.rule == Policy.ruleName }?.expired
        guard planned == expired else {
            let found = planned.map(String.init) ?? "nothing"
            throw WrongResult("the plan says \(found) of \(expired) expired rows")
        }
    }
}
