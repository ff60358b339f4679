import TestSupport
import Foundation
import Testing

/// What the reading app's user sees while others change its store.
@Suite struct ReaderWatchTests {
    @Test("watch prints what a run takes, table by table")
    func pruning() throws {
        let state = try StateDirectory.sampled()
        let watch = try watching(state)
        let report = try state.runNow.run().checked().report()
        // A look may fall into the middle of the run.
        var went = [String: Int]()
        try eventually("all that went was printed: \(watch.output)") {
            went = [:]
            for match in watch.output.matches(
                of: #/\d{2}:\d{2}:\d{2}  ([a-z_]+): (\d+) rows? deleted, \d+ in all/#)
            {
                went[String(match.1), default: 0] += Int(match.2) ?? 0
            }
            return went == [
                "feed": report.deleted["feed-cache"] ?? -1, "item": report.deleted["items"] ?? -1,
                "tweet": report.deleted["timeline"] ?? -1,
                "read_record": report.deleted["read-records"] ?? -1,
            ]
        }
        #expect(watch.isRunning)
        #expect(watch.errors == "reader: watching \(state.storePath)\n")
    }

    @Test("watch --json prints an object a line, from the first row to the last as the store has them")
    func json() throws {
        let state = try StateDirectory.sampled()
        let before = try state.store.count("SELECT count(*) FROM item")
        let watch = try watching(state, "--json")
        try state.runNow.run().checked()
        try state.reader("items", "add", "7").run().checked()
        let after = try state.store.count("SELECT count(*) FROM item")
        var items: [NSDictionary] = []
        try eventually("the last count was printed: \(watch.output)") {
            items = try lines(of: watch).filter { $0["table"] as? String == "item" }
            return items.last?["after"] as? Int == after
        }
        #expect(
            items.allSatisfy { Set($0.allKeys as? [String] ?? []) == ["at", "table", "before", "after"] })
        #expect(items.first?["before"] as? Int == before)
        for (earlier, later) in zip(items, items.dropFirst()) {
            #expect(earlier["after"] as? Int == later["before"] as? Int)
        }
    }

    @Test("watch may be there before anything else is")
    func firstOfAll() throws {
        let state = try StateDirectory()
        let watch = try watching(state)
        try state.importing(Tweets.two).checked()
        try eventually("what came was printed") { watch.output.contains("tweet: 2 rows added, 2 in all\n") }
    }

    @Test("watch ends without a word when whoever read it has gone")
    func closedPipe() throws {
        let state = try StateDirectory()
        let line = state.reader("watch").line
        let pipe = try Program(
            path: "bash", arguments: ["-c", "set -o pipefail; timeout 60 \"$@\" | head -n 1", "bash"] + line
        ).start()
        try eventually("watching") { pipe.errors.contains("watching") }
        // The first line ends `head`, and the second one what writes it.
        try state.reader("items", "add").run().checked()
        try eventually("the first line") { pipe.output.contains("item: 1 row added, 1 in all\n") }
        try eventually("its end", seconds: 20) {
            if pipe.isRunning { try state.reader("items", "add").run().checked() }
            return !pipe.isRunning
        }
        let ended = try pipe.wait()
        #expect(ended.status == 0, "\(ended)")
        #expect(ended.errors == "reader: watching \(state.storePath)\n")
    }

    @Test("watch ends with a signal", arguments: [SIGINT, SIGTERM])
    func signal(number: Int32) throws {
        let watch = try watching(try StateDirectory())
        watch.send(number)
        #expect(try watch.wait(seconds: 10).status == 128 + number)
    }

    /// Returns once it watches.
    private func watching(_ state: StateDirectory, _ arguments: String...) throws -> RunningProgram {
        let watch = try state.reader(["watch"] + arguments).start()
        try eventually("watching") { watch.errors.contains("watching") }
        return watch
    }

    private func lines(of watch: RunningProgram) throws -> [NSDictionary] {
        // The last line may not be complete yet.
        try watch.output.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map { line in
            try JSONSerialization.jsonObject(with: Data(line.utf8)) as? NSDictionary ?? [:]
        }
    }
}
