import Foundation
import Ledger
import Pruning
import Retention
import TestSupport
import Testing

/// What a history says of each rule last.
struct LastAttemptTests {
    private func attempts(in entries: [HistoryEntry]) throws -> [String: LastAttempt] {
        let directory = try TemporaryDirectory()
        let ledger = Ledger(stateDirectory: directory.path)
        try ledger.append(entries)
        let attempts = try ledger.read(or: [:]) { try $0.lastAttempts() }
        let failed = attempts.filter { $0.value.record?.outcome == .failed }.keys
        #expect(ledger.failedRules() == Set(failed))
        return attempts
    }

    private func begun(_ report: PruneReport) throws -> HistoryEntry {
        let event = PruneEvent.ruleStarted(Reports.task("r"), expired: 7, accessPath: .walk)
        return try #require(HistoryEntry.begun(event, in: report.runID, by: Reports.hand))
    }

    @Test("the newest run of each rule counts, and its end replaces its beginning")
    func newest() throws {
        let first = Reports.run(Reports.rule("r", deleted: 1), Reports.rule("q"), seed: 1)
        let second = Reports.run(Reports.rule("r", .failed, deleted: 2, .fault(.other)), after: 60, seed: 2)
        let attempts = try attempts(in: [
            try begun(first), .run(first, by: Reports.hand), .run(second, by: Reports.hand),
        ])
        #expect(attempts["r"]?.record?.deleted == 2)
        #expect(attempts["r"]?.began == runStart.addingTimeInterval(60))
        #expect(attempts["q"]?.began == runStart)
        #expect(attempts.count == 2)
    }

    @Test("a beginning without an end counts until another run tells more")
    func killed() throws {
        let (killed, next) = (Reports.run(seed: 1), Reports.run(Reports.rule(), after: 60, seed: 2))
        let open = try #require(try attempts(in: [begun(killed)])["r"])
        #expect(open.record == nil && open.began == runStart)
        #expect(try attempts(in: [begun(killed), .run(next, by: Reports.hand)])["r"]?.record != nil)
    }

    @Test("what the service met with again and again says when, but only of the same end")
    func quiet() throws {
        var digest = HistoryDigest(by: Reports.service)
        var entries: [HistoryEntry] = []
        for minute in 0..<3 {
            let report = Reports.run(
                Reports.rule("r", .failed, .fault(.other)), Reports.rule("q"), after: Double(minute) * 60)
            entries += digest.entries(after: report, at: .seconds(minute))
        }
        entries += digest.flush()
        #expect(entries.map(\.kind) == [.run, .quiet])
        #expect(try attempts(in: entries)["r"]?.repeatedAt == runStart.addingTimeInterval(120))
        let other = HistoryEntry.run(Reports.run(Reports.rule("r")), by: Reports.hand)
        #expect(try attempts(in: [other] + entries.dropFirst())["r"]?.repeatedAt == nil)
    }

    @Test("how long it has ended so is counted from the first, over beginnings, until it ends otherwise")
    func since() throws {
        let runs = [
            Reports.run(Reports.rule("r", .held, .fault(.archiveFull)), after: 0, seed: 1),
            Reports.run(Reports.rule("r", .held, .fault(.archiveFull)), after: 60, seed: 2),
            Reports.run(Reports.rule("r", .held, .hold), after: 120, seed: 3),
            Reports.run(Reports.rule("r", .held, .hold), after: 180, seed: 4),
            Reports.run(Reports.rule("r", .failed, .fault(.full)), after: 240, seed: 5),
        ]
        let entries = try runs.flatMap { [try begun($0), .run($0, by: Reports.hand)] }
        let since = try (1...5).map { try attempts(in: Array(entries.prefix($0 * 2)))["r"]?.since }
        #expect(since == [0, 0, 120, 120, 240].map { runStart.addingTimeInterval($0) })
    }
}
