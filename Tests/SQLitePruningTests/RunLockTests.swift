import Foundation
import Pruning
import Retention
import Synchronization
import TestSupport
import Testing

@testable import SQLitePruning

/// One run at a time.
struct RunLockTests {
    private let app: TemporaryStore
    private var lockPath: String { app.path + "-pruned-lock" }

    init() throws {
        app = try TemporaryStore("CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER);")
    }

    private func claim(_ holder: String) throws -> any StoreClaim {
        try SQLiteStore.test(at: app.path, holder: holder).claim(freeControl())
    }

    @Test("a second claim is busy and says who holds the store")
    func second() throws {
        let first = try claim("process 1 (the first)")
        let error = #expect(throws: StoreError.self) { try claim("the second") }
        #expect(error?.kind == .busy)
        #expect(error?.cause == "another run uses it: process 1 (the first)")
        first.release()
        try claim("the third").release()
        #expect(try app.directory.entries == ["app.sqlite"])
    }

    @Test("a claim that is released twice, or forgotten, frees the store once")
    func releasedTwice() throws {
        let first = try claim("a")
        first.release()
        let second = try claim("b")
        first.release()
        #expect(throws: StoreError.self) { try claim("c") }
        second.release()
        do { _ = try claim("d") }
        try claim("e").release()
    }

    @Test("who has a claim is seen while it lasts, and a file that a killed run left is no claim")
    func holder() throws {
        let store = SQLiteStore.test(at: app.path, holder: "process \(getpid()) (a test)")
        #expect(store.claimHolder() == nil)
        let claim = try store.claim(freeControl())
        #expect(store.claimHolder() == "process \(getpid()) (a test)")
        #expect(throws: StoreError.self, "to look is no end of it") { try self.claim("another") }
        claim.release()
        #expect(store.claimHolder() == nil)
        try "process \(getpid()) (a test)\n".write(toFile: lockPath, atomically: false, encoding: .utf8)
        #expect(store.claimHolder() == nil)
        let stranger = try self.claim("process 1 (another)")
        #expect(store.claimHolder() == "process 1 (another)")
        stranger.release()
    }

    @Test(
        "the file that a killed run left is taken over, whatever stands in it",
        arguments: ["process 7\n", "", "\u{0}\u{1b}[31m"])
    func leftover(content: String) throws {
        try content.write(toFile: lockPath, atomically: false, encoding: .utf8)
        let claim = try claim("the next")
        #expect(try String(contentsOfFile: lockPath, encoding: .utf8) == "the next\n")
        claim.release()
        #expect(try app.directory.entries == ["app.sqlite"])
    }

    @Test(
        "a claim of another process is busy, and gone with that process",
        .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/perl")))
    func otherProcess() throws {
        try "process 9 (elsewhere)\nmore\n".write(toFile: lockPath, atomically: false, encoding: .utf8)
        // F_OFD_SETLK, with a struct flock for all of the file.
        let script = """
            $| = 1; open(F, '+<', $ARGV[0]); $l = pack('ssx4qqix4', 1, 0, 0, 0, 0); \
            print fcntl(F, 37, $l) ? 'held' : 'refused'; <STDIN>
            """
        let process = try Program(["perl", "-e", script, lockPath]).start(feeds: true)
        try wait(for: "the other's claim") { process.output == "held" }
        let error = #expect(throws: StoreError.self) { try claim("us") }
        #expect(error?.kind == .busy)
        #expect(error?.cause == "another run uses it: process 9 (elsewhere)")
        _ = try process.wait()
        try claim("us").release()
    }

    @Test("what a holder says cannot break the line of who reads it")
    func hostileHolder() throws {
        let claim = try claim("a\u{1b}[31mb\u{7f}\u{9b}\rc\nMESSAGE=x")
        defer { claim.release() }
        let cause = #expect(throws: StoreError.self) { try self.claim("b") }?.cause ?? ""
        #expect(cause.hasPrefix("another run uses it: a"))
        #expect(cause.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) })
    }

    @Test("what is not a plain file is not taken for a lock")
    func notAFile() throws {
        try FileManager.default.createSymbolicLink(atPath: lockPath, withDestinationPath: "elsewhere")
        let error = #expect(throws: StoreError.self) { try claim("us") }
        #expect(error?.kind == .inputOutput)
        #expect(try !app.directory.entries.contains("elsewhere"))
    }

    @Test("a lock file that somebody removed is not removed from under its next holder")
    func removed() throws {
        let first = try claim("first")
        try FileManager.default.removeItem(atPath: lockPath)
        let second = try claim("second")
        first.release()
        #expect(throws: StoreError.self) { try claim("third") }
        second.release()
    }

    @Test("of many that race for the lock, at most one holds it at any time")
    func race() throws {
        let path = app.path
        let holders = Mutex(0)
        let claims = Mutex(0)
        DispatchQueue.concurrentPerform(iterations: 8) { number in
            var mine = 0
            while mine < 200 {
                guard
                    let lock = try? RunLock.acquire(beside: StoreFile(path: path), holder: "racer \(number)")
                else {
                    continue
                }
                let others = holders.withLock { count in
                    defer { count += 1 }
                    return count
                }
                if others != 0 { Issue.record("\(others) other holders") }
                holders.withLock { $0 -= 1 }
                lock.release()
                mine += 1
                claims.withLock { $0 += 1 }
            }
        }
        #expect(claims.withLock { $0 } == 1_600)
        #expect(try app.directory.entries == ["app.sqlite"])
    }

    @Test("a run leaves a store alone that another run holds")
    func run() throws {
        try app.execute("INSERT INTO t VALUES (1, \(old));")
        let other = try claim("process 1 (the other)")
        let report = app.outcome()
        #expect(report.outcome == .skipped)
        #expect(report.failure?.cause.contains("the other") == true)
        #expect(try app.integers("SELECT count(*) FROM t") == [1])
        // A dry run takes nothing, and needs no turn.
        #expect(app.outcome(dryRun: true).expired == 1)
        other.release()
        #expect(app.outcome().deleted == 1)
    }
}
