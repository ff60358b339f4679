import Testing

@testable import PruneBenchmark

@Suite struct PrunedReportTests {
    private static let rule = """
        {"rule": "expired", "outcome": "done", "deleted": 7, "dependents_deleted": 0, "batches": 2,
         "longest_batch_ms": 4.5, "duration_ms": 9, "plan": "walk", "reason": null, "hint": null}
        """

    @Test("a report without reclaimed space has none")
    func withoutReclaim() throws {
        let report = try PrunedReport(json: "{\"rules\": [\(Self.rule)]}")
        #expect(report.rule.deleted == 7)
        #expect(report.rule.longestBatchMilliseconds == 4.5)
        #expect(report.reclaim == nil)
    }

    @Test("reclaimed space is read with its longest step")
    func withReclaim() throws {
        let reclaim = """
            {"store": "measured", "outcome": "done", "reclaimed_bytes": 8192, "steps": 2,
             "longest_step_ms": 1.5, "duration_ms": 3, "reason": null, "hint": null}
            """
        let report = try PrunedReport(json: "{\"rules\": [\(Self.rule)], \"reclaimed\": [\(reclaim)]}")
        #expect(report.reclaim?.longestStepMilliseconds == 1.5)
    }

    @Test("a report of no rule or of two is not what was asked for", arguments: ["", "\(rule), \(rule)"])
    func otherRules(rules: String) {
        #expect(throws: WrongResult.self) { try PrunedReport(json: "{\"rules\": [\(rules)]}") }
    }

    @Test("a plan that counts another number of rows for the job's rule is wrong")
    func plan() throws {
        let plan = try PlanReport(
            json: """
                {"rules": [{"rule": "timeline", "expired": 9}, {"rule": "expired", "expired": 7}]}
                """)
        try plan.expect(7)
        #expect(throws: WrongResult.self) { try plan.expect(9) }
        let other = try PlanReport(json: #"{"rules": [{"rule": "timeline", "expired": 9}]}"#)
        #expect(throws: WrongResult.self) { try other.expect(9) }
    }
}
