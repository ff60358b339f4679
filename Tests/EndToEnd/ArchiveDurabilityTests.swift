import TestSupport
import Foundation
import Testing

/// A power cut between two files: what leaves one is on the disk of the other.
@Suite(.serialized) struct ArchiveDurabilityTests {
    @Test(
        "rows are on the archive's disk before they leave the store", .tracing, arguments: ["walk", "index"],
        [false, true])
    func deletion(plan: String, isBesideApp: Bool) throws {
        let store = try OddStore(rows: 100)
        // From here on, the archive is written for rows alone.
        try store.run().run().checked()
        try store.database.query(
            """
            INSERT INTO named (a, at) SELECT 'new ' || value, unixepoch() - 40 * 86400 FROM generate_series(1, 3000);
            INSERT INTO ordered (a, at) SELECT 'new ' || value, unixepoch() - 40 * 86400 FROM generate_series(1, 3000);
            """)
        let app = try isBesideApp ? store.database.openedByApp() : nil
        let calls = try Calls(of: store.run(plan: plan), on: store)
        try app?.wait().checked()
        #expect(calls.writes(to: .store) > 0)
        calls.expect(.archive, isSafeBefore: .store)
        #expect(calls.first == .archive)
    }

    @Test(
        "rows that are put back are on the store's disk before they leave the archive, after their lease",
        .tracing)
    func restore() throws {
        let store = try OddStore(rows: 2_000)
        try store.run().run().checked()
        let runID = try #require(store.archivedRuns().first)
        let calls = try Calls(of: store.restore(runID), on: store)
        #expect(calls.writes(to: .archive) > 0)
        calls.expect(.store, isSafeBefore: .archive)
        calls.expect(.archive, isSafeBefore: .store)
        #expect(calls.first == .archive)
        #expect(try store.archivedRuns().isEmpty)
    }
}

/// What a program wrote to the logs of the store and of the archive, and when it waited for the disk.
private struct Calls {
    enum File: String {
        case store = "odd.sqlite-wal>"
        case archive = "archive.sqlite-wal>"
    }

    private let calls: [(file: File, isWrite: Bool)]

    init(of program: Program, on store: OddStore) throws {
        var program = program
        let log = try store.state.sandbox.write("calls", "")
        program.prefix = ["strace", "-f", "-qq", "-y", "-o", log, "-e", "trace=pwrite64,fdatasync,fsync"]
        try program.run().checked()
        calls = store.state.sandbox.text("calls").split(separator: "\n").compactMap { line in
            let file: File? =
                line.contains(File.archive.rawValue)
                ? .archive : line.contains(File.store.rawValue) ? .store : nil
            let isWrite = line.contains("pwrite64(")
            guard let file, isWrite || line.contains("sync(") else { return nil }
            return (file, isWrite)
        }
    }

    /// The file that was written first.
    var first: File? { calls.first { $0.isWrite }?.file }

    func writes(to file: File) -> Int { calls.count { $0.isWrite && $0.file == file } }

    /// Nothing is written to `other` while anything that was written to `file` may not be on the disk yet.
    func expect(_ file: File, isSafeBefore other: File, sourceLocation: SourceLocation = #_sourceLocation) {
        var isSafe = true
        var violations = 0
        for call in calls {
            if call.file == file { isSafe = !call.isWrite }
            if call.file == other, call.isWrite, !isSafe { violations += 1 }
        }
        #expect(violations == 0, sourceLocation: sourceLocation)
    }
}
