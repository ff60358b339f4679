import TestSupport
import Testing

@testable import PruneBenchmark

@Suite struct PrunedReportTests {
    private static let rule = """
        {"rule": "expired", "store": "measured", "cutoff": "2026-10-21T00:00:00Z", "outcome": "done", "expired": 7,
         "deleted": 7, "dependents_deleted": 0, "kept_implausible": 0, "batches": 2,
         "longest_batch_ms": 4.5, "duration_ms": 9, "access_path": "walk", "reason": null, "hint": null}
        """
    private static let other = rule.replacing(#""rule": "expired""#, with: #""rule": "timeline""#)

    private func report(_ rules: String, _ more: String = "") throws -> PrintedReport {
        try PrintedReport(
            json: """
                {"run_id": "20261120T120000Z-0001", "started_at": "2026-11-20T12:00:00Z", "dry_run": false,
                 "outcome": "done", "rules": [\(rules)]\(more)}
                """)
    }

    @Test("a report without reclaimed space has none")
    func withoutReclaim() throws {
        let report = try report(Self.rule)
        #expect(try report.rule().deleted == 7)
        #expect(try report.rule().longestBatchMs == 4.5)
        #expect(try report.rule().path == "walk")
        #expect(report.reclaimed == nil)
    }

    @Test("an access path is read where older builds have it, too")
    func olderBuilds() throws {
        let rule = Self.rule.replacing("access_path", with: "plan")
        #expect(try report(rule).rule().path == "walk")
    }

    @Test("reclaimed space is read with its longest step")
    func withReclaim() throws {
        let reclaim = """
            {"store": "measured", "outcome": "done", "reclaimed_bytes": 8192, "steps": 2,
             "longest_step_ms": 1.5, "duration_ms": 3, "reason": null, "hint": null}
            """
        let report = try report(Self.rule, ", \"reclaimed\": [\(reclaim)]")
        #expect(report.reclaimed?.first?.longestStepMs == 1.5)
    }

    @Test("of several rules the job's is read; none or two of them are wrong")
    func otherRules() throws {
        let both = try report("\(Self.other), \(Self.rule)")
        #expect(try both.rule().rule == "expired")
        for rules in ["", Self.other, "\(Self.rule), \(Self.rule)"] {
            let report = try report(rules)
            #expect(throws: BenchmarkError.self) { try report.rule() }
        }
    }
}
