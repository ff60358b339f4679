import Foundation
import Pruning
import Retention
import TestSupport
import Testing

struct RunHistoryTests {
    private let directory: TemporaryDirectory
    private let history: RunHistory
    private var path: String { directory.path + "/history.jsonl" }

    init() throws {
        directory = try TemporaryDirectory()
        history = RunHistory(stateDirectory: directory.path)
    }

    private func entry(_ deleted: Int64, cause: String = "why") -> HistoryEntry {
        .run(Reports.run(Reports.rule(deleted: deleted, .hold, cause: cause)), by: Reports.hand)
    }

    private func deleted(_ history: RunHistory? = nil) throws -> [Int64] {
        try (history ?? self.history).entries().compactMap { $0.rules?.first?.deleted }
    }

    private func text() throws -> String { try String(contentsOfFile: path, encoding: .utf8) }

    @Test("what is appended is read again, in its order")
    func appends() throws {
        #expect(try history.entries() == [])
        try history.append([])
        #expect(try directory.entries == [])
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
        let line = try HistoryEntry.run(report, by: Reports.hand).json()
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
        ).json()
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
        let text = try text()
        #expect(
            text.dropLast().unicodeScalars.allSatisfy { (" "..."~").contains($0) } && text.hasSuffix("\n"))
        #expect(try history.entries().first?.rules?.first?.reason?.hasSuffix(cause) == true)
    }

    @Test("a line cut off anywhere is left out, and the next entry is whole")
    func torn() throws {
        try history.append([entry(1)])
        let first = try Data(contentsOf: URL(filePath: path))
        for length in stride(from: 1, to: first.count - 1, by: 13) {
            try (first + first.prefix(length)).write(to: URL(filePath: path))
            #expect(try deleted() == [1])
            try history.append([entry(2)])
            #expect(try deleted() == [1, 2], "\(length)")
        }
        // Nothing but the end of the line was missing.
        try first.dropLast().write(to: URL(filePath: path))
        try history.append([entry(2)])
        #expect(try deleted() == [1, 2])
    }

    @Test("at its limit the file becomes the older one, and the one before that goes")
    func rotates() throws {
        let line = try entry(1_000).json().utf8.count + 1
        let history = RunHistory(stateDirectory: directory.path, limit: line * 3)
        for number in 1...3 { try history.append([entry(Int64(1_000 + number))]) }
        #expect(try directory.entries == ["history.jsonl"])
        for number in 4...10 {
            try history.append([entry(Int64(1_000 + number))])
            for name in try directory.entries {
                let size = try Data(contentsOf: URL(filePath: directory.path + "/" + name)).count
                #expect(size <= line * 3)
            }
        }
        #expect(try directory.entries == ["history.1.jsonl", "history.jsonl"])
        #expect(try deleted(history) == [1_007, 1_008, 1_009, 1_010])
    }

    @Test(
        "writers that append at the same time lose nothing of each other, nor does a reader see half a line")
    func concurrent() throws {
        let path = directory.path
        let line = try entry(1_000).json().utf8.count + 1
        DispatchQueue.concurrentPerform(iterations: 4) { writer in
            // Each opens the files anew, as processes do. There is just room for all.
            let history = RunHistory(stateDirectory: path, limit: line * 50)
            for number in 0..<20 {
                do {
                    try history.append([entry(Int64(1_000 + writer * 100 + number))])
                    #expect(try deleted(history).contains(Int64(1_000 + writer * 100 + number)))
                } catch {
                    Issue.record(error)
                }
            }
        }
        let expected = (0..<4).flatMap { writer in (0..<20).map { Int64(1_000 + writer * 100 + $0) } }
        #expect(try deleted().sorted() == expected)
        #expect(try directory.entries == ["history.1.jsonl", "history.jsonl"])
    }

    @Test("the files are for their owner and group, whatever the limit")
    func mode() throws {
        let history = RunHistory(stateDirectory: directory.path, limit: 1)
        for number in 1...3 { try history.append([entry(Int64(number))]) }
        for name in ["history.jsonl", "history.1.jsonl"] {
            var status = stat()
            try #require(lstat(directory.path + "/" + name, &status) == 0)
            #expect(status.st_mode & 0o7777 == 0o660)
        }
    }

    @Test(
        "what lies there and is no file is neither followed nor waited for",
        arguments: ["link", "pipe", "directory"])
    func foreign(kind: String) throws {
        let victim = directory.path + "/victim"
        try "precious\n".write(toFile: victim, atomically: false, encoding: .utf8)
        switch kind {
        case "link": try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "victim")
        case "pipe": try #require(mkfifo(path, 0o600) == 0)
        default: try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        }
        #expect(throws: StoreError.self) { try history.append([entry(1)]) }
        #expect(try String(contentsOfFile: victim, encoding: .utf8) == "precious\n")
        #expect((try? history.entries().isEmpty) ?? true)
    }

    @Test("where there is no state directory there is no history, and none can be kept")
    func missing() throws {
        let history = RunHistory(stateDirectory: "/nonexistent")
        let append = #expect(throws: StoreError.self) { try history.append([entry(1)]) }
        #expect(
            append?.reason
                == "cannot keep the history in /nonexistent/history.jsonl: No such file or directory")
        #expect(try history.entries() == [])
        let file = RunHistory(stateDirectory: "/dev/null/state")
        let read = #expect(throws: StoreError.self) { try file.entries() }
        #expect(read?.kind == .inputOutput)
        #expect(read?.reason == "cannot read the history in /dev/null/state: Not a directory")
    }
}
