import Foundation
import TestSupport
import Testing

/// What a run does for an app that has the store open.
@Suite(.serialized) struct YieldingTests {
    @Test(
        "while an app has the store open, batches are shorter, and each leaves it time for a turn",
        arguments: ["walk", "index"])
    func company(plan: String) throws {
        let state = try LargeStore.copy()
        let app = try state.store.program.start(feeds: true)
        try app.feed("SELECT count(*) FROM item;\n")
        try eventually("the app's answer") { !app.output.isEmpty }
        let accompanied = try readRecords(state, plan)
        try app.wait().checked()

        // A machine with other work to do makes batches slow, and so more of them; it never makes fewer.
        let few = Int(Double(accompanied.batches) / 1.5)
        var counts: [Int] = []
        while counts.count < 5, counts.allSatisfy({ $0 > few }) {
            let alone = try readRecords(LargeStore.copy(), plan)
            #expect(alone.deleted == accompanied.deleted)
            counts.append(alone.batches)
        }
        #expect(counts.contains { $0 <= few }, "\(accompanied.batches) batches, alone \(counts)")
        // An app that has asked in vain asks again after 1 ms at the earliest. Nothing follows the last batch.
        let pauses = Double(accompanied.batches - 1)
        #expect(accompanied.durationMs >= pauses, "\(accompanied)")
    }

    private func readRecords(_ state: StateDirectory, _ plan: String) throws -> PrintedReport.Rule {
        let report = try state.runNow(plan: plan).run().checked().report()
        #expect(report.accessPaths == [plan])
        return try #require(report["read-records"])
    }
}
