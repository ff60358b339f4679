import Pruning

extension PruneReport {
    /// How many rules of how many stores have which outcome, such as "2 stores, 3 rules: 2 done, 1 failed".
    var outcomes: String {
        let stores = Set(rules.map(\.store)).count
        let counts = Outcome.allCases.compactMap { outcome -> String? in
            let count = rules.count { $0.outcome == outcome }
            return count > 0 ? "\(count.grouped) \(dryRun ? outcome.prediction : outcome.rawValue)" : nil
        }
        return "\(stores.counted("store")), \(rules.count.counted("rule")): \(counts.joined(separator: ", "))"
    }
}
