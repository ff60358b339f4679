import FoundationEssentials

/// A step of the plan of a statement, as EXPLAIN reports it.
struct PlanStep: Decodable {
    let type: String
    let schema: String?
    let relation: String?
    let indexCondition: String?
    let recheckCondition: String?
    private let parts: [PlanStep]?

    enum CodingKeys: String, CodingKey {
        case type = "Node Type"
        case schema = "Schema"
        case relation = "Relation Name"
        case indexCondition = "Index Cond"
        case recheckCondition = "Recheck Cond"
        case parts = "Plans"
    }

    /// The step and those that it needs.
    fileprivate var all: [PlanStep] { [self] + (parts ?? []).flatMap(\.all) }
}

extension Connection {
    /// The steps of the server's plan of a statement.
    func plan(of sql: String, _ values: [String?] = []) throws -> [PlanStep] {
        let text = try query("EXPLAIN (FORMAT JSON, VERBOSE, COSTS OFF) \(sql)", values).text(0, 0) ?? ""
        return try JSONDecoder().decode([Explained].self, from: Data(text.utf8)).flatMap(\.plan.all)
    }
}

private struct Explained: Decodable {
    let plan: PlanStep

    enum CodingKeys: String, CodingKey {
        case plan = "Plan"
    }
}
