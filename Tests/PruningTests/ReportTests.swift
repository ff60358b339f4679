import Foundation
import Pruning
import Retention
import TestSupport
import Testing

struct ReportTests {
    private var task: PruneTask {
        PruneTask(
            RetentionRule(
                name: "read-records", store: "reader", table: "read_record",
                expiry: .age(column: "created_at", keep: Span(30, .day))), start: runStart, in: .gmt)
    }

    private func json(
        _ rules: [RuleReport], _ reclaims: [ReclaimReport] = [], start: Date = runStart
    ) throws -> String {
        var generator = SeededGenerator(seed: 1)
        let report = PruneReport(
            runID: RunID(start: start, using: &generator), startedAt: start, duration: .microseconds(12_460),
            dryRun: false, rules: rules, reclaims: reclaims)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        return String(decoding: try encoder.encode(report), as: UTF8.self)
    }

    @Test("a report has exactly the documented keys, times in UTC and durations in milliseconds")
    func done() throws {
        var rule = RuleReport(task)
        rule.expired = 1_200
        rule.deleted = 1_200
        rule.batches = 1
        rule.longestBatch = .microseconds(4_149)
        rule.duration = .milliseconds(9)
        rule.accessPath = .walk
        var reclaim = ReclaimReport("reader")
        reclaim.reclaimedBytes = 1_048_576
        reclaim.freeBytes = 0
        reclaim.steps = 3
        reclaim.longestStep = .microseconds(5_120)
        reclaim.duration = .milliseconds(20)
        let text = try json([rule], [reclaim], start: runStart.addingTimeInterval(0.999_999))
        let id = try #require(text.firstMatch(of: /"run_id" : "(20261120T120000Z-[0-9a-f]{4})"/)).output.1
        #expect(
            text == """
                {
                  "dry_run" : false,
                  "duration_ms" : 12.5,
                  "outcome" : "done",
                  "reclaimed" : [
                    {
                      "duration_ms" : 20,
                      "free_bytes" : 0,
                      "hint" : null,
                      "longest_step_ms" : 5.1,
                      "outcome" : "done",
                      "reason" : null,
                      "reclaimed_bytes" : 1048576,
                      "steps" : 3,
                      "store" : "reader"
                    }
                  ],
                  "remarks" : [

                  ],
                  "rules" : [
                    {
                      "access_path" : "walk",
                      "batches" : 1,
                      "came_back" : null,
                      "cutoff" : "2026-10-21T12:00:00Z",
                      "deleted" : 1200,
                      "dependents_deleted" : 0,
                      "duration_ms" : 9,
                      "expired" : 1200,
                      "hint" : null,
                      "kept_implausible" : 0,
                      "longest_batch_ms" : 4.1,
                      "outcome" : "done",
                      "reason" : null,
                      "rule" : "read-records",
                      "store" : "reader",
                      "table" : "read_record",
                      "waits_for" : null
                    }
                  ],
                  "run_id" : "\(id)",
                  "sizes" : [

                  ],
                  "started_at" : "2026-11-20T12:00:00Z"
                }
                """)
    }

    @Test("a rule that failed says why and what helps, and what is not known is null")
    func failed() throws {
        let failure = Halt(
            .fault(.damaged), operation: "count", place: "/s", cause: "it is\nbroken", hint: "mend \"it\"")
        let text = try json([RuleReport(task, outcome: .failed, failure: failure)])
        for line in [
            "\"reason\" : \"cannot count in /s: it is\\nbroken\"", "\"hint\" : \"mend \\\"it\\\"\"",
            "\"expired\" : null",
            "\"access_path\" : null", "\"outcome\" : \"failed\"",
        ] { #expect(text.contains(line)) }
    }

    @Test(
        "what is held says what it waits for, and what is not held waits for nothing",
        arguments: [
            (.hold, "\"confirmation\""), (.fault(.archiveFull), "\"archive\""), (.leases, "\"leases\""),
            (.clock, "\"clock\""), (.fault(.full), "null"), (.fault(.busy), "null"),
        ] as [(Halt.Kind, String)])
    func waits(kind: Halt.Kind, text: String) throws {
        let failure = Halt(kind, operation: "run", place: "/s", cause: "why")
        let report = RuleReport(task, outcome: text == "null" ? .failed : .held, failure: failure)
        #expect(try json([report]).contains("\"waits_for\" : \(text)"))
    }

    @Test("space that could not be given back has no part in a run's outcome")
    func outcomeOfReclaim() {
        var generator = SeededGenerator(seed: 1)
        var reclaim = ReclaimReport("reader")
        reclaim.outcome = .failed
        let report = PruneReport(
            runID: RunID(start: runStart, using: &generator), startedAt: runStart, duration: .zero,
            dryRun: false, rules: [RuleReport(task)], reclaims: [reclaim])
        #expect(report.outcome == .done)
    }

    @Test("a run's outcome is the worst of its rules'", arguments: Outcome.allCases, Outcome.allCases)
    func worst(a: Outcome, b: Outcome) {
        var generator = SeededGenerator(seed: 1)
        let rules = [a, b, .done].map { RuleReport(task, outcome: $0) }
        let report = PruneReport(
            runID: RunID(start: runStart, using: &generator), startedAt: runStart, duration: .zero,
            dryRun: false,
            rules: rules)
        let order: [Outcome] = [.done, .held, .stopped, .skipped, .failed]
        #expect(report.outcome == order.last { [a, b].contains($0) })
    }

    @Test("ids of runs sort by their start, and differ within a second")
    func runID() throws {
        var generator = SeededGenerator(seed: 7)
        let ids = (0..<20).map { _ in RunID(start: runStart, using: &generator).description }
        #expect(Set(ids).count == 20)
        #expect(try ids.allSatisfy { try /20261120T120000Z-[0-9a-f]{4}/.wholeMatch(in: $0) != nil })
        #expect(RunID(start: runStart.addingTimeInterval(1), using: &generator).description > ids.max() ?? "")
    }

    @Test(
        "the walk is used where more than a fortieth of the rows that it meets first have expired",
        arguments: [(0, .index), (0.01, .index), (0.025, .index), (0.026, .walk), (1, .walk)]
            as [(Double, AccessPath)])
    func accessPath(expiredShare: Double, accessPath: AccessPath) {
        #expect(AccessPath.cheaper(expiredShare: expiredShare) == accessPath)
    }
}
