import TestSupport

/// What is measured of a report.
extension PrintedReport {
    /// The job's rule.
    func rule() throws -> Rule {
        let found = rules.filter { $0.rule == Policy.ruleName }
        guard found.count == 1 else { throw BenchmarkError("the report has the rule \(found.count) times") }
        return found[0]
    }
}

extension PrintedReport.Rule {
    /// How the rows were found.
    var path: String? { accessPath ?? plan }
}
