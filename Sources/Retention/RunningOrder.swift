/// The order in which the rules of a policy run.
///
/// By name, except that a rule on the table that keeps another rule's rows runs first, so that both a row and what
/// kept it go in one run, and never the kept row before its keeper.
enum RunningOrder {
    /// The rules in running order; throws when some of them wait for each other.
    static func sorted(_ rules: [RetentionRule]) throws(PolicyError) -> [RetentionRule] {
        var waiting = rules.sorted { $0.name < $1.name }
        var ordered: [RetentionRule] = []
        while !waiting.isEmpty {
            guard let next = waiting.firstIndex(where: { rule in !waiting.contains { rule.runsAfter($0) } })
            else {
                throw .circularKeepers(waiting.map(\.name))
            }
            ordered.append(waiting.remove(at: next))
        }
        return ordered
    }
}

extension RetentionRule {
    /// Whether this rule must wait until `other` has run.
    fileprivate func runsAfter(_ other: RetentionRule) -> Bool {
        guard let keptBy, name != other.name, store == other.store else { return false }
        return keptBy.table.lowercased() == other.table.lowercased()
    }
}
