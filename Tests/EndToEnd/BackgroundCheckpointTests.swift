import Foundation
import Testing

/// How what a run has written to the log comes into the database.
@Suite(.tracing) struct BackgroundCheckpointTests {
    @Test(
        "a run writes its log back while it goes on, but not beside an app, which would wait for the disk",
        arguments: [false, true])
    func writesBack(besideApp: Bool) throws {
        let state = try LargeStore.copy()
        let app = besideApp ? try Database(path: state.storePath).openedByApp() : nil
        var program = state.pruned("--run-now")
        let log = try state.sandbox.write("calls", "")
        program.prefix = ["strace", "-f", "--seccomp-bpf", "-y", "-qq", "-o", log, "-e", "trace=pwrite64"]
        try program.run().checked()
        #expect(try Database(path: state.storePath).count(LargeStore.expired) == 0)
        app?.send(SIGTERM)

        let calls = state.sandbox.text("calls").split(separator: "\n")
        let (toLog, toStore) = (writers("reader.sqlite-wal>", calls), writers("reader.sqlite>", calls))
        #expect(toLog.count == 1)
        #expect(toStore.isSuperset(of: toLog))
        #expect(toStore.isSubset(of: toLog) == besideApp)
    }

    /// The threads that write to `file`.
    private func writers(_ file: String, _ calls: [Substring]) -> Set<Substring> {
        Set(calls.lazy.filter { $0.contains(file) }.compactMap { $0.split(separator: " ").first })
    }
}
