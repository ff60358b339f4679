import Foundation
import Ledger
import Pruning
import Retention
import TestSupport
import Testing

/// What the ledger keeps of what happened.
struct HistoryTests {
    private let directory: TemporaryDirectory
    private let history: Ledger

    init() throws {
        directory = try TemporaryDirectory()
        history = Ledger(stateDirectory: directory.path)
    }

    private func entry(_ deleted: Int64, cause: String = "why") -> HistoryEntry {
        .run(Reports.run(Reports.rule(deleted: deleted, .hold, cause: cause)), by: Reports.hand)
    }

    private func deleted() throws -> [Int64] {
        try history.entries().compactMap { $0.rules?.first?.deleted }
    }

    @Test("what is appended is read again, in its order")
    func appends() throws {
        #expect(try history.entries() == [])
        #expect(try directory.entries == [], "to look makes nothing")
        var reclaim = ReclaimReport("s")
        reclaim.reclaimedBytes = 4_096
        let entries = [
            entry(1), .run(Reports.run(Reports.rule(), reclaims: [reclaim]), by: Reports.service),
            .refused("no", hint: "yes", at: runStart, by: Initiator(.hand, user: nil)),
            .restored(5, skipped: 1, ofRun: "x", rule: "r", at: runStart, by: Reports.hand),
        ]
        try history.append(Array(entries.prefix(2)))
        try history.append(Array(entries.suffix(2)))
        #expect(try history.entries() == entries)
    }

    @Test("a rule's facts have the report's own keys, and what is not known is left out")
    func keys() throws {
        let report = Reports.run(Reports.rule("r", .held, .hold))
        let line = try HistoryEntry.run(report, by: Reports.hand).line()
        #expect(
            line == """
                {"by":"hand","duration_ms":12,"kind":"run","outcome":"held","rules":[{"batches":0,\
                "cutoff":"2026-10-21T12:00:00Z","deleted":0,"dependents_deleted":0,"duration_ms":0,"hint":"hint",\
                "kept_implausible":0,"longest_batch_ms":0,"outcome":"held",\
                "reason":"cannot run rule r in /s: why","rule":"r","store":"s","table":"t","waits_for":"confirmation"}],\
                "run_id":"\(report.runID)","time":"2026-11-20T12:00:00Z","user":"alice"}
                """)
    }

    @Test("what was restored has its documented keys")
    func restored() throws {
        let line = try HistoryEntry.restored(
            5, skipped: 1, ofRun: "20261120T120000Z-3f9c", rule: "r", at: runStart, by: Reports.hand
        ).line()
        #expect(
            line == """
                {"by":"hand","kind":"restored","restored":5,"rule":"r","run_id":"20261120T120000Z-3f9c",\
                "skipped":1,"time":"2026-11-20T12:00:00Z","user":"alice"}
                """)
    }

    @Test("no value breaks a line, or reaches a terminal as it is")
    func values() throws {
        let cause = "a\nb\r\u{1B}[2J\u{7F}\u{85}\u{2028}\u{202E}ü😀\u{0}"
        try history.append([entry(1, cause: cause)])
        let read = try #require(try history.entries().first)
        #expect(read.rules?.first?.reason?.hasSuffix(cause.replacing("\u{0}", with: "\u{FFFD}")) == true)
        #expect(try read.line().unicodeScalars.allSatisfy { (" "..."~").contains($0) })
    }

    @Test("what has many parts, and what has none of them, is read as it was written, line by line")
    func everyKey() throws {
        var rule = Reports.rule("r", .held, deleted: .max / 2, .fault(.archiveFull), implausible: 3)
        (rule.expired, rule.accessPath, rule.batches) = (7, .index, 5)
        (rule.longestBatch, rule.duration) = (.microseconds(4_100), .milliseconds(9))
        var reclaim = ReclaimReport("s")
        (reclaim.reclaimedBytes, reclaim.freeBytes, reclaim.steps) = (4_096, 0, 2)
        var digest = HistoryDigest(by: Reports.service)
        _ = digest.entries(after: Reports.run(Reports.rule("q")), at: .zero)
        let seen = HeldRule(
            Reports.task("r").rule, place: "/s", cutoff: runStart, timeZone: .gmt, expired: 1, rows: 2,
            change: nil)
        let entries =
            [
                .run(Reports.run(rule, Reports.rule("q"), reclaims: [reclaim]), by: Reports.hand),
                .confirmed(seen, of: "r", at: runStart, by: Reports.hand),
                .trusted(at: runStart, against: nil, by: Reports.hand),
            ] + digest.flush()
        try history.append(entries)
        #expect(try history.entries() == entries)
        #expect(try history.entries().map { try $0.line() } == entries.map { try $0.line() })
    }

    @Test("a run's end takes the place of what it said when it began")
    func begun() throws {
        let report = Reports.run(Reports.rule())
        let event = PruneEvent.ruleStarted(Reports.task("r"), expired: 7, accessPath: .walk)
        let begun = try #require(HistoryEntry.begun(event, in: report.runID, by: Reports.hand))
        try history.append([begun])
        #expect(try history.entries() == [begun])
        try history.append([.run(report, by: Reports.hand)])
        #expect(try history.entries().map(\.kind) == [.run])
    }

    @Test(
        "what is older than ninety days goes, a few entries at a time, and not by a clock that no run has believed"
    )
    func trimmed() throws {
        func run(_ days: Double, _ kind: Halt.Kind? = nil) -> HistoryEntry {
            let rule = Reports.rule("r", kind == nil ? .done : .held, kind)
            return .run(Reports.run(rule, after: days * 86_400), by: Reports.service)
        }
        try history.append((0..<30).map { run(Double($0) / 100) })
        try history.append([
            run(400, .clock),
            .restored(
                5, skipped: 0, ofRun: "x", rule: "r", at: runStart.addingTimeInterval(400 * 86_400),
                by: Reports.hand),
        ])
        #expect(try history.entries().count == 32)
        try history.append([run(89)])
        #expect(try history.entries().count == 33)
        try history.append([run(91)])
        #expect(try history.entries().count == 14)
        try history.append([run(91)])
        let rest = try history.entries()
        #expect(rest.count == 5 && rest.first?.time == runStart.addingTimeInterval(400 * 86_400))
    }

    @Test("writers that append at the same time lose nothing of each other")
    func concurrent() throws {
        let path = directory.path
        DispatchQueue.concurrentPerform(iterations: 4) { writer in
            // Each opens the file anew, as processes do.
            let history = Ledger(stateDirectory: path)
            for number in 0..<20 {
                let deleted = Int64(1_000 + writer * 100 + number)
                do {
                    try history.append([entry(deleted)])
                    #expect(try self.deleted().contains(deleted))
                } catch {
                    Issue.record(error)
                }
            }
        }
        let expected = (0..<4).flatMap { writer in (0..<20).map { Int64(1_000 + writer * 100 + $0) } }
        #expect(try deleted().sorted() == expected)
    }
}
