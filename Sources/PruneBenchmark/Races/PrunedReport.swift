import Foundation

/// What `pruned --run-now --json` prints of a run with one rule.
struct PrunedReport: Decodable {
    let rule: RuleFigures
    /// Of the one store; nil where no space was to be given back.
    let reclaim: ReclaimFigures?

    private enum CodingKeys: String, CodingKey {
        case rules
        case reclaimed
    }

    init(json: String) throws {
        self = try JSONDecoder().decode(Self.self, from: Data(json.utf8))
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let rules = try container.decode([RuleFigures].self, forKey: .rules)
        guard rules.count == 1, let rule = rules.first else {
            throw WrongResult("the report has \(rules.count) rules")
        }
        self.rule = rule
        reclaim = try container.decodeIfPresent([ReclaimFigures].self, forKey: .reclaimed)?.first
    }
}
