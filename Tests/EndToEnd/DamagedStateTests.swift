import Foundation
import Testing

/// What of the state counts as empty because it is damaged is told by whoever meets it.
@Suite struct DamagedStateTests {
    @Test(
        "a damaged ledger is told beside what is shown of it, and set aside by the next run, which says so once"
    )
    func ledger() throws {
        let state = try StateDirectory.sampled(records: 100)
        try state.runNow.run().checked()
        try state.sandbox.write("state/ledger/state.sqlite", String(repeating: "garbage", count: 2_000))
        let before = FileTree(state.path)
        let damage = "pruned: warning: \(state.ledger.path) is damaged and counts as empty"
        let shown = try state.pruned("history").run().checked()
        #expect(shown.output == "no runs yet\n" && shown.errors.hasPrefix(damage), "\(shown)")
        let json = try state.pruned("history", "--json").run().checked()
        #expect(json.output.isEmpty && json.errors.hasPrefix(damage), "\(json)")
        try state.pruned("plan").run().checked()
        #expect(FileTree(state.path) == before)
        let first = try state.runNow.run().checked()
        let aside = FileTree(state.path).names.filter { $0.contains(".damaged-") }
        #expect(
            aside.count == 1 && first.errors.contains("was moved to \(state.path)/\(aside[0])"), "\(first)")
        let second = try state.runNow.run().checked()
        #expect(second.errors == "", "\(second)")
        #expect(
            try state.pruned("history", "--json").run().checked().output.split(separator: "\n").count == 2)
    }

    @Test("a ledger whose header names a format that no SQLite has is set aside like any damaged one")
    func ledgerFormat() throws {
        let state = try StateDirectory.sampled(records: 100)
        try state.runNow.run().checked()
        try overwrite([9], at: 47, of: state.ledger.path)
        let ended = try state.runNow.run().checked()
        #expect(ended.errors.contains("was damaged (unsupported file format) and was moved"), "\(ended)")
    }

    @Test("no row goes into an archive that has its own pages among those that it would write to")
    func archiveFreelist() throws {
        let state = try StateDirectory.holding(expired: 20, fresh: 20)
        let run = state.pruned(
            "--run-now", "--json", "--config", try state.readRecordsFile("archive = true"))
        try run.run().checked()
        try overwrite([0, 0, 0, 3, 0, 0, 0, 1], at: 32, of: state.path + "/archive/reader/archive.sqlite")
        try state.addRecords(5, days: 300)
        let ended = try run.run()
        #expect(ended.status == 65, "\(ended)")
        #expect(try state.store.count("SELECT count(*) FROM read_record") == 25)
    }

    private func overwrite(_ bytes: [UInt8], at place: Int, of path: String) throws {
        var file = try Data(contentsOf: URL(filePath: path))
        file.replaceSubrange(place..<place + bytes.count, with: bytes)
        try file.write(to: URL(filePath: path))
    }

    @Test("what an older version kept in files of its own is named once, and left alone")
    func oldFiles() throws {
        let state = try StateDirectory.sampled(records: 100)
        try state.sandbox.write("state/last-runs.json", "{}")
        let first = try state.runNow.run().checked()
        #expect(first.errors.contains("old state files are ignored: last-runs.json"), "\(first)")
        #expect(try state.runNow.run().checked().errors == "")
        #expect(state.sandbox.text("state/last-runs.json") == "{}")
    }

    @Test("a damaged archive is damage to each command, and keeps no service from starting")
    func archive() throws {
        let store = try OddStore(rows: 100)
        try store.run().run().checked()
        let runID = try #require(store.archivedRuns().first)
        let file = try store.configuration()
        try store.state.sandbox.write(
            "state/archive/odd/archive.sqlite", String(repeating: "no database", count: 1_000))
        for program in [
            try store.restore(runID), store.state.pruned("check", "--config", file),
            store.state.pruned("plan", "--config", file), store.state.pruned("status", "--config", file),
            try store.run(),
        ] {
            let ended = try program.run()
            #expect(ended.status == 65, "\(ended)")
        }
        let service = try Service(on: store.state, arguments: ["--config", file])
        try service.waitUntilReady()
        #expect(try service.stop().status == 0)
    }

    @Test("a state directory that is named and not there is told", arguments: ["status", "history"])
    func missing(command: String) throws {
        let state = try StateDirectory()
        let ended = try state.pruned(command).run().checked()
        #expect(
            ended.errors.hasPrefix(
                "pruned: there is no state directory \(state.path)\n        check the path"),
            "\(ended)")
    }

    @Test("a name of the configuration writes no control characters to a terminal")
    func control() throws {
        let state = try StateDirectory.sampled(records: 100)
        let file = try state.configuration(
            """
            store.reader.path = "shared/reader.sqlite"
            rule.odd = { table = "a\\u001b[31mred\\nnew", age_column = "at", keep = "1d" }
            """)
        let ended = try state.pruned("check", "--config", file).run()
        #expect(ended.status == 1, "\(ended)")
        #expect(!(ended.output + ended.errors).contains("\u{1B}"), "\(ended)")
        #expect(ended.output.split(separator: "\n").allSatisfy { !$0.hasPrefix("new") }, "\(ended)")
    }

    @Test("a plan does not send whoever reads it to the plan")
    func plan() throws {
        let state = try StateDirectory.holding(expired: 1_200, fresh: 100)
        let held = try state.runNow.run()
        #expect(held.status == 3 && held.output.contains("look at it with"), "\(held)")
        let told = try state.pruned("plan").run()
        #expect(told.output.contains("--confirm") && !told.output.contains("look at it with"), "\(told)")
    }
}
