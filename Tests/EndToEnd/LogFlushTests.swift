import Foundation
import Testing

/// How what a run has written to the log comes to the disk.
@Suite(.tracing) struct LogFlushTests {
    @Test(
        "a run sends its log to the disk while it goes on, but not beside an app, whose own writes would wait",
        arguments: [false, true])
    func flush(besideApp: Bool) throws {
        let state = try LargeStore.copy()
        let app = besideApp ? try Database(path: state.storePath).openedByApp() : nil
        var program = state.pruned("--run-now")
        let log = try state.sandbox.write("calls", "")
        program.prefix = [
            "strace", "-f", "--seccomp-bpf", "-y", "-qq", "-o", log, "-e", "trace=openat,fdatasync",
        ]
        try program.run().checked()
        #expect(try Database(path: state.storePath).count(LargeStore.expired) == 0)

        let calls = state.sandbox.text("calls").split(separator: "\n")
        // What SQLite opens it writes to, and what only looks (O_PATH) sends nothing.
        let opened = calls.firstIndex {
            $0.contains("reader.sqlite-wal>") && $0.contains("O_RDONLY") && !$0.contains("O_PATH")
        }
        #expect((opened == nil) == besideApp)
        if let opened {
            let descriptor = try #require(calls[opened].split(separator: "= ").last?.prefix { $0 != "<" })
            let later = calls[opened...]
            #expect(
                later.contains {
                    $0.contains("fdatasync(\(descriptor)<") && $0.contains("reader.sqlite-wal>")
                })
        }
        app?.send(SIGTERM)
    }
}
