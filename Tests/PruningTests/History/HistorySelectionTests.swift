import Foundation
import Pruning
import Retention
import TestSupport
import Testing

struct HistorySelectionTests {
    private func begun(_ report: PruneReport) throws -> HistoryEntry {
        let event = PruneEvent.ruleStarted(Reports.task("r"), expired: 7, accessPath: .walk)
        return try #require(HistoryEntry.begun(event, in: report.runID, by: Reports.hand))
    }

    @Test("what a run said when it began is shown only while its end is not known")
    func begun() throws {
        let (ended, killed) = (Reports.run(Reports.rule(), seed: 1), Reports.run(Reports.rule(), seed: 2))
        try #require(ended.runID != killed.runID)
        let entries = try [begun(ended), begun(killed), .run(ended, by: Reports.hand)]
        #expect(HistorySelection().apply(to: entries) == Array(entries.dropFirst()))
    }

    @Test("the newest are selected, none older than asked for; at that instant is not older")
    func timeAndLimit() {
        let entries = [0.0, 10, 20, 30].map {
            HistoryEntry.refused("\($0)", hint: nil, at: runStart.addingTimeInterval($0), by: Reports.hand)
        }
        let since = HistorySelection(since: runStart.addingTimeInterval(10))
        #expect(since.apply(to: entries) == Array(entries.dropFirst()))
        #expect(HistorySelection(limit: 2).apply(to: entries) == Array(entries.suffix(2)))
        #expect(HistorySelection(limit: 9).apply(to: entries) == entries)
    }

    @Test("of a rule only what concerns it is selected")
    func rule() throws {
        let twoRules = Reports.run(Reports.rule("a"), Reports.rule("b", deleted: 3))
        let entries = [
            HistoryEntry.run(twoRules, by: Reports.hand),
            .run(Reports.run(Reports.rule("b")), by: Reports.hand),
            .refused("no", hint: nil, at: runStart, by: Reports.hand),
            .restored(1, skipped: 0, ofRun: "x", rule: "b", at: runStart, by: Reports.hand),
            .restored(1, skipped: 0, ofRun: "y", at: runStart, by: Reports.hand),
        ]
        let selected = HistorySelection(rules: ["a"]).apply(to: entries)
        #expect(selected.map(\.kind) == [.run, .restored])
        #expect(selected.first?.rules?.map(\.rule) == ["a"])
        #expect(selected.last?.runID == "y")
        let both = HistorySelection(rules: ["a", "b"]).apply(to: entries)
        #expect(both.map(\.kind) == [.run, .run, .restored, .restored])
        #expect(both.first?.rules?.map(\.rule) == ["a", "b"])
    }
}
