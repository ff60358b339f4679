import Foundation
import Testing

/// Where a person finds the run that can be restored.
@Suite struct ArchivedRunsTests {
    @Test("an empty archive says whether a rule fills it")
    func emptyArchive() throws {
        let state = try StateDirectory.sampled(records: 1)
        let without = try state.readRecordsFile()
        let nothing = try state.pruned("restore", "--config", without).run().checked().output
        #expect(nothing == "the archive is empty; no rule of this configuration archives\n")
        let with = try state.readRecordsFile("archive = true", name: "with.toml")
        let later = try state.pruned("restore", "--config", with).run().checked().output
        #expect(later == "the archive is empty; rules with archive = true fill it\n")
    }

    @Test("without a run, restore lists those of which rows are left, and the history names them")
    func listedRuns() throws {
        let store = try OddStore(rows: 100)
        let configuration = try store.configuration()
        let list = {
            try store.state.pruned("restore", "--config", configuration).run().checked().output
        }
        #expect(try list().contains("the archive is empty"))
        try store.run().run().checked()
        let expired = try store.archive.count("SELECT sum(row_count) FROM batch")
        let runID = try #require(store.archivedRuns().first)
        let line = "\(runID)   \(expired)  keyless, named, ordered\n"
        #expect(try list() == "run                    rows  deleted by\n" + line)
        let history = try store.state.pruned("history", "--config", configuration).run().checked().output
        #expect(history.contains("    archived: pruned restore \(runID)\n"), "\(history)")

        let restored = try store.restore(runID, "--rule", "named").run().checked().output
        let day = Date().addingTimeInterval(30 * 86_400).formatted(.iso8601.year().month().day())
        #expect(restored.hasSuffix("\n    they stay until \(day)\n"), "\(restored)")
        #expect(try list().hasSuffix("  keyless, ordered\n"))
        try store.restore(runID).run().checked()
        #expect(try list().contains("the archive is empty"))
        for option in ["--json", "--dry-run", "--rule=named"] {
            let ended = try store.state.pruned("restore", option, "--config", configuration).run()
            #expect(ended.status == 64 && ended.errors.contains("need a run"), "\(ended)")
        }
    }
}
