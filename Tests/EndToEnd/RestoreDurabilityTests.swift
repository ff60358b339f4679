import Foundation
import Testing

/// A power cut between two files: what leaves one is on the disk of the other.
@Suite struct RestoreDurabilityTests {
    @Test("rows that are put back are on the store's disk before they leave the archive", .tracing)
    func powerCut() throws {
        let store = try OddStore(rows: 2_000)
        try store.run().run().checked()
        let runID = try #require(store.archivedRuns().first)
        var restore = try store.restore(runID)
        let log = try store.state.sandbox.write("calls", "")
        restore.prefix = ["strace", "-f", "-qq", "-y", "-o", log, "-e", "trace=pwrite64,fdatasync,fsync"]
        try restore.run().checked()

        var (isUnsafe, storeWrites, archiveWrites) = (false, 0, 0)
        for call in store.state.sandbox.text("calls").split(separator: "\n") {
            if call.contains("pwrite64("), call.contains("odd.sqlite-wal>") {
                (isUnsafe, storeWrites) = (true, storeWrites + 1)
            } else if call.contains("sync("), call.contains("odd.sqlite-wal>") {
                isUnsafe = false
            } else if call.contains("pwrite64("), call.contains("archive.sqlite-wal>") {
                #expect(!isUnsafe, "\(call)")
                archiveWrites += 1
            }
        }
        #expect(storeWrites > 0 && archiveWrites > 0)
    }
}
