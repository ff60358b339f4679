import Foundation
import Testing

/// Writes that fail in the middle of a run: the store stays whole, and the next run finishes.
@Suite(.serialized) struct FullDiskTests {
    @Test("a disk that fills up in the middle of a run", .root, arguments: ["walk", "index"])
    func fullDisk(plan: String) throws {
        let disk = try SmallDisk(megabytes: 24)
        let state = try StateDirectory(at: disk.path + "/state", prefix: disk.prefix)
        try state.sample(records: 100_000)
        let rows = try state.store.count(LargeStore.rows)
        let unexpired = try state.store.count(LargeStore.unexpired)
        try disk.fill(leaving: 400)

        let ended = try state.runNow(plan: plan).run()
        #expect(ended.status == 74, "\(ended)")
        let report = try ended.report()
        #expect(report.outcome == "failed")
        let reason = report.rules.compactMap(\.reason).first ?? ""
        #expect(reason.contains("disk") && reason.contains(state.storePath), "\(ended)")
        #expect(report.rules.contains { $0.hint?.contains("make room") == true }, "\(ended)")

        try disk.shell("rm filler")
        #expect(try state.store.health() == "ok")
        let left = try state.store.count(LargeStore.rows)
        let deleted = report.deleted.values.reduce(0, +)
        #expect(deleted > 0 && deleted == rows - left)
        #expect(try state.store.count(LargeStore.expired) > 0)
        let rest = try state.runNow.run().checked().report().deleted.values.reduce(0, +)
        #expect(try rest == left - state.store.count(LargeStore.rows))
        #expect(try state.store.count(LargeStore.expired) == 0)
        #expect(try state.store.count(LargeStore.unexpired) == unexpired)
    }

    @Test("a limit on the size of files is an error, not a signal")
    func fileSizeLimit() throws {
        var state = try StateDirectory.sampled(records: 100_000)
        let unexpired = try state.store.count(LargeStore.unexpired)
        state.prefix = ["prlimit", "--fsize=300000"]
        let ended = try state.runNow.run()
        #expect(ended.status == 74, "\(ended)")
        state.prefix = []
        #expect(try state.store.health() == "ok")
        #expect(try state.runNow.run().status == 0)
        #expect(try state.store.count(LargeStore.expired) == 0)
        #expect(try state.store.count(LargeStore.unexpired) == unexpired)
    }

    @Test(
        "whichever write fails, once or for good, the store is whole and the next run finishes", .tracing,
        arguments: [
            ("pwrite64", "ENOSPC", true), ("pwrite64", "ENOSPC", false), ("pwrite64", "EIO", true),
            ("fdatasync", "EIO", false), ("fsync", "EIO", false),
        ])
    func failingWrites(call: String, error: String, forGood: Bool) throws {
        let template = try StateDirectory.sampled(records: 2_000)
        let unexpired = try template.store.count(LargeStore.unexpired)
        let calls = try Fault.calls(of: call, inRunOn: template.copied())
        for number in stride(from: 1, through: calls, by: max(1, calls / 10)) {
            var state = try template.copied()
            state.prefix = Fault.prefix("\(call):error=\(error):when=\(number)\(forGood ? "+" : "")")
            let ended = try state.runNow.run()
            #expect([0, 74].contains(ended.status), "\(number): \(ended)")
            // Batches follow the clock, so runs differ in their number of calls; half of it is always reached.
            if forGood, number <= calls / 2 { #expect(ended.status == 74, "\(number): \(ended)") }
            state.prefix = []
            // Every other time the next run comes first, and is the one that recovers what was left.
            if number.isMultiple(of: 2) { #expect(try state.store.health() == "ok") }
            let next = try state.runNow.run()
            #expect(next.status == 0, "\(number): \(next)")
            #expect(try state.store.health() == "ok")
            #expect(try state.store.count(LargeStore.expired) == 0)
            #expect(try state.store.count(LargeStore.unexpired) == unexpired)
            #expect(FileTree(state.path).names == StateDirectory.filesAtRest)
        }
    }

    @Test("a store whose creation fails at any file that should go is whole after the next run", .tracing)
    func failingCreation() throws {
        for number in 1...8 {
            var state = try StateDirectory()
            state.prefix = Fault.prefix("unlink:error=EIO:when=\(number)")
            _ = try state.runNow.run()
            state.prefix = []
            try state.runNow.run().checked()
            #expect(try state.store.query("PRAGMA journal_mode") == "wal", "\(number)")
            #expect(try state.store.query("PRAGMA auto_vacuum") == "2", "\(number)")
        }
    }
}
