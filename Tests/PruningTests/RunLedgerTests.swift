import Foundation
import Pruning
import Retention
import TestSupport
import Testing

struct RunLedgerTests {
    private let directory: TemporaryDirectory
    private let ledger: RunLedger
    private var path: String { directory.path + "/last-runs.json" }

    /// Rules by these names.
    private func rules(_ names: Name...) -> [RetentionRule] {
        names.map {
            RetentionRule(
                name: $0, store: "s", table: "t", expiry: .age(column: "at", keep: Span(30, .day)))
        }
    }

    private var dates: [Name: Date] { ledger.lastRuns().mapValues(\.date) }

    init() throws {
        directory = try TemporaryDirectory()
        ledger = RunLedger(stateDirectory: directory.path)
    }

    @Test("what is recorded is read again, and later runs replace earlier ones")
    func records() throws {
        #expect(dates == [:])
        try ledger.record(rules("a", "b.c-d_1"), at: runStart)
        try ledger.record(rules("a"), at: runStart.addingTimeInterval(0.5))
        #expect(dates == ["a": runStart.addingTimeInterval(0.5), "b.c-d_1": runStart])
    }

    @Test("what a run did stays with it, and what an older version wrote has nothing of that")
    func reports() throws {
        var report = Reports.rule("a", deleted: 5)
        report.dependentsDeleted = 7
        report.duration = .milliseconds(1_234)
        try ledger.record(rules("a", "b"), at: runStart, reports: [report])
        let runs = ledger.lastRuns()
        #expect(runs["a"]?.deleted == 5 && runs["a"]?.dependentsDeleted == 7)
        #expect(runs["a"]?.took == .milliseconds(1_234))
        #expect(runs["b"]?.deleted == nil && runs["b"]?.took == nil)
        try "{\"a\": {\"unix_time\": 5}}".write(toFile: path, atomically: false, encoding: .utf8)
        #expect(ledger.lastRuns()["a"] == LastRun(date: Date(timeIntervalSince1970: 5), rule: nil))
    }

    @Test("a store is at one place, whatever links lead to its directory")
    func place() throws {
        let directory = try TemporaryDirectory()
        let real = try #require(realpath(directory.path, nil).map { String(cString: $0) })
        try #require(mkdir(real + "/app", 0o700) == 0 && symlink("app", real + "/link") == 0)
        #expect(StorePlace.resolved(real + "/link/x.db") == real + "/app/x.db")
        #expect(StorePlace.resolved(real + "/none/x.db") == real + "/none/x.db")
    }

    @Test(
        "a run counts for the rule on the table and the store that it was of, and for none that has its name by now"
    )
    func anotherRule() throws {
        let rule = try #require(rules("a").first)
        let places: [Name: String] = ["s": "/s", "u": "/s"]
        try ledger.record([rule], at: runStart, on: places)
        var (table, store, shorter) = (rule, rule, rule)
        table.table = "other"
        store.store = "u"
        shorter.expiry = .age(column: "at", keep: Span(1, .day))
        #expect(ledger.lastRuns(of: [rule], at: places)["a"]?.date == runStart)
        #expect(ledger.lastRuns(of: [shorter], at: places)["a"]?.date == runStart, "of the same rows")
        #expect(ledger.lastDates(of: [rule, shorter], at: places) == ["a": runStart])
        var (column, deadline, unit) = (rule, rule, rule)
        column.expiry = .age(column: "since", keep: Span(30, .day))
        deadline.expiry = .deadline(column: "at", grace: nil)
        unit.unit = .milliseconds
        for other in [column, deadline, unit] {
            #expect(ledger.lastDates(of: [other], at: places) == [:], "it has judged by no such time")
            #expect(ledger.lastRuns(of: [other], at: places).count == 1, "a guard says what changed")
        }
        #expect(ledger.lastRuns(of: [table], at: places) == [:])
        #expect(ledger.lastRuns(of: [store], at: places) == [:])
        #expect(ledger.lastRuns(of: [rule], at: ["s": "/moved"]) == [:])
        #expect(ledger.lastRuns(of: rules("b"), at: places) == [:])
        for older in ["5", "{\"unix_time\": 5}"] {
            try "{\"a\": \(older)}".write(toFile: path, atomically: false, encoding: .utf8)
            #expect(ledger.lastRuns(of: [table], at: places).count == 1, "an older version did not keep it")
        }
    }

    @Test("recording nothing writes nothing")
    func nothing() throws {
        try ledger.record([], at: runStart)
        #expect(try directory.entries == [])
    }

    @Test(
        "what is not a ledger counts as empty, and the next record replaces it",
        arguments: [
            "", "{", "[]", "null", "{\"a\": \"yesterday\"}", "{\"a\": 1e999}", "{\"a\": null}", "{\"a\": {}}",
            "\u{0}\u{0}",
            "{\"a\": 1} {\"a\": 2}",
        ])
    func foreign(content: String) throws {
        try content.write(toFile: path, atomically: false, encoding: .utf8)
        #expect(dates == [:])
        try ledger.record(rules("b"), at: runStart)
        #expect(dates == ["b": runStart])
    }

    @Test("a ledger cut off anywhere counts as empty")
    func truncated() throws {
        try ledger.record(rules("a", "b"), at: runStart)
        let whole = try Data(contentsOf: URL(filePath: path))
        for length in 0..<whole.count {
            try whole.prefix(length).write(to: URL(filePath: path))
            #expect(dates == [:])
        }
    }

    @Test("entries that are not names of rules are left out")
    func names() throws {
        try "{\"a\": 5, \"\": 6, \"-x\": 7, \"a b\": 8}".write(
            toFile: path, atomically: false, encoding: .utf8)
        #expect(dates == ["a": Date(timeIntervalSince1970: 5)])
    }

    @Test("the file is for its owner and group, and nothing else is left in the directory")
    func mode() throws {
        try ledger.record(rules("a"), at: runStart)
        var status = stat()
        try #require(lstat(path, &status) == 0)
        #expect(status.st_mode & 0o007 == 0)
        #expect(status.st_mode & 0o600 == 0o600)
        #expect(try directory.entries == ["last-runs.json"])
    }

    @Test("the file is replaced, never rewritten: who has it open sees the old content to its end")
    func replaced() throws {
        try ledger.record(rules("a"), at: runStart)
        let old = try #require(FileHandle(forReadingAtPath: path))
        let before = try Data(contentsOf: URL(filePath: path))
        try ledger.record(rules("a", "b"), at: runStart)
        #expect(try old.readToEnd() == before)
        #expect(try Data(contentsOf: URL(filePath: path)) != before)
    }

    @Test("what a killed writer left half written is in nobody's way", arguments: [0o600, 0o000] as [mode_t])
    func leftover(mode: mode_t) throws {
        let half = path + ".new"
        try "{\"a\"".write(toFile: half, atomically: false, encoding: .utf8)
        try #require(chmod(half, mode) == 0)
        var before = stat()
        try #require(lstat(half, &before) == 0)
        try ledger.record(rules("a"), at: runStart)
        #expect(dates == ["a": runStart])
        var after = stat()
        try #require(lstat(path, &after) == 0)
        // Another file: the old one may belong to a user who lets nobody else write it.
        #expect(after.st_mode & 0o600 == 0o600)
    }

    @Test("a link that lies in the way is not followed")
    func link() throws {
        let victim = directory.path + "/victim"
        try "precious".write(toFile: victim, atomically: false, encoding: .utf8)
        try FileManager.default.createSymbolicLink(atPath: path + ".new", withDestinationPath: "victim")
        try? ledger.record(rules("a"), at: runStart)
        #expect(try String(contentsOfFile: victim, encoding: .utf8) == "precious")
    }

    @Test("a state directory that is not there is an error that names the ledger")
    func missing() {
        let error = #expect(throws: StoreError.self) {
            try RunLedger(stateDirectory: "/nonexistent/state").record(rules("a"), at: runStart)
        }
        #expect(error?.kind == .inputOutput)
        #expect(
            error?.reason
                == "cannot remember the last runs in /nonexistent/state/last-runs.json: No such file or directory"
        )
    }

    @Test("writers that record at the same time lose nothing of each other")
    func concurrent() throws {
        let path = directory.path
        DispatchQueue.concurrentPerform(iterations: 4) { writer in
            let ledger = RunLedger(stateDirectory: path)
            for number in 0..<20 {
                guard let name = Name("r\(writer)-\(number)") else { continue }
                do { try ledger.record(rules(name), at: runStart) } catch { Issue.record(error) }
            }
        }
        #expect(ledger.lastRuns().count == 80)
    }

    @Test("whoever was stopped with the lock of the directory in hand does not stop all others")
    func stoppedHolder() throws {
        let holder = open(directory.path, O_RDONLY | O_DIRECTORY)
        defer { close(holder) }
        try #require(flock(holder, LOCK_EX) == 0)
        let error = #expect(throws: StoreError.self) { try ledger.record(rules("a"), at: runStart) }
        #expect(error?.cause == String(cString: strerror(EWOULDBLOCK)))
        #expect(flock(holder, LOCK_UN) == 0)
        try ledger.record(rules("a"), at: runStart)
        #expect(dates == ["a": runStart])
    }
}
