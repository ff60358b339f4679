import Foundation
import Pruning
import TestSupport
import Retention
import Synchronization
import Testing

@testable import PostgreSQLPruning

@Suite(
    "A server whose disk is full",
    .enabled(if: PostgreSQLPrograms.installed != nil && geteuid() == 0, "needs root and Debian's postgresql"))
struct FullServerDiskTests {
    /// Takes all the room that is left, and returns the file that has it.
    private func fill(_ server: PostgreSQLServer) throws -> String {
        let path = server.dataDirectory + "/ballast"
        let file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o644)
        defer { close(file) }
        let block = [UInt8](repeating: 1, count: 1 << 16)
        while write(file, block, block.count) > 0 {}
        return path
    }

    @Test("The run ends, nothing is lost, and the next one goes on when there is room")
    func full() throws {
        var configuration = PostgreSQLConfiguration([
            "max_wal_size": "32MB", "min_wal_size": "32MB", "wal_recycle": "off", "wal_init_zero": "on",
        ])
        configuration.diskMegabytes = 180
        let server = try PostgreSQLServer.start(configuration: configuration)
        let (news, deed) = (try PrunedNews(on: server, articles: 60_000), Deed())
        try server.psql("CHECKPOINT")
        let ballast = Mutex("")
        let report = try news.run { number in
            guard number == 1 else { return }
            deed.perform {
                let path = try fill(server)
                ballast.withLock { $0 = path }
            }
        }
        try deed.check()
        // A server that cannot write its log ends all connections, in any order.
        let cause = report.failure?.cause ?? ""
        let isUnknown = cause.contains("it is unknown")
        let isRight = report.failure?.kind == .fault(.full) || report.failure?.kind == .fault(.inputOutput)
        let isWithoutClaim = cause.contains("the connection that has the claim was lost")
        #expect(report.outcome == (isWithoutClaim ? .skipped : .failed), "\(report)")
        #expect(isRight || isUnknown || isWithoutClaim, "\(report)")
        #expect(report.failure?.hint != nil)
        unlink(ballast.withLock { $0 })
        // It may have ended, as it could not write its log.
        if (try? server.psql("SELECT 1")) == nil {
            try? server.stop(.immediate)
            try server.start()
        }
        let gone = try news.gone()
        #expect(gone == Int(report.deleted) || isUnknown, "\(report)")
        #expect(gone < news.expired)
        let next = try news.run()
        #expect(next.outcome == .done, "\(next)")
        #expect(try news.gone() == news.expired)
    }
}
