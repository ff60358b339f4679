import Foundation
import Pruning
import Retention
import Synchronization
import TestSupport
import Testing

@testable import MariaDBPruning

/// Kills a server at random moments of many runs. The seed is in each failure.
@Suite(
    "A MariaDB that is killed in mid-run",
    .enabled(if: MariaDBPrograms.installed != nil, "\(MariaDBPrograms.comment)"))
struct KilledServerTests {
    private static let runs = 12
    private static let supply = 3_000

    @Test("each row is in the table or in the archive, and no more are reported than have gone")
    func killed() throws {
        let seed = UInt64.random(in: .min ... .max)
        var random = SeededGenerator(seed: seed)
        let server = try MariaDBServer.start()
        let app = try AppDatabase(
            """
            CREATE TABLE t (id int PRIMARY KEY, at timestamp NULL, body text, INDEX (at));
            CREATE TABLE c (id int PRIMARY KEY, t int, FOREIGN KEY (t) REFERENCES t (id) ON DELETE CASCADE)
            """, on: server)
        let rule = RetentionRule.old(dependents: ["c"], archives: true)
        var (last, hit) = (0, 0)
        for round in 1...Self.runs {
            let first = last + 1
            last += Self.supply
            try app.run(
                """
                INSERT INTO t SELECT seq, IF(MOD(seq, 3) = 0, '2026-11-19', '2026-01-01'), REPEAT('x', 200)
                    FROM seq_\(first)_to_\(last);
                INSERT INTO c SELECT id, id FROM t WHERE id BETWEEN \(first) AND \(last)
                """)
            let before = try ids(of: app)
            let death = Death(
                of: server, after: .random(in: 0...8, using: &random),
                microseconds: .random(in: 0...6_000, using: &random))
            let report = try app.prune(rule, accessPath: round % 2 == 0 ? .walk : .index) { death.meet($0) }
            try death.wait()
            try server.start()

            let comment = Comment(rawValue: "seed \(seed), run \(round): \(report)")
            let after = try ids(of: app)
            let gone = before.subtracting(after)
            #expect(gone.allSatisfy { !$0.isMultiple(of: 3) }, comment)
            #expect(gone.count >= report.deleted, comment)
            if report.failure?.cause.contains("it is unknown") != true {
                #expect(gone.count == report.deleted, comment)
            }
            // Of each row the dependent went in the same transaction.
            #expect(try app.rows(of: "c") == after.count, comment)
            if report.outcome != .done { hit += 1 }
        }
        #expect(hit > Self.runs / 3, "the deaths come too late: seed \(seed)")
        let report = try app.prune(rule)
        #expect(report.outcome == .done, "seed \(seed): \(report)")
        #expect(try ids(of: app).count == last / 3)
        let restored = try app.restore()
        #expect(restored.allSatisfy { $0.outcome == .done }, "seed \(seed): \(restored)")
        #expect(try ids(of: app) == Set(1...last), "seed \(seed)")
    }

    private func ids(of app: AppDatabase) throws -> Set<Int> {
        Set(try app.run("SELECT id FROM t").compactMap { $0[0].flatMap { Int($0) } })
    }
}

/// The death of a server, once, a little after a batch.
private final class Death: Sendable {
    private let server: MariaDBServer
    private let batch: Int
    private let microseconds: UInt32
    private let state = Mutex((begun: false, ended: false, error: (any Error)?.none))

    init(of server: MariaDBServer, after batch: Int, microseconds: UInt32) {
        (self.server, self.batch, self.microseconds) = (server, batch, microseconds)
        if batch == 0 { begin() }
    }

    /// To be called after each batch.
    func meet(_ number: Int) {
        if number >= batch { begin() }
    }

    private func begin() {
        let isFirst = state.withLock { state in
            defer { state.begun = true }
            return !state.begun
        }
        guard isFirst else { return }
        Thread.detachNewThread { [self] in
            usleep(microseconds)
            do { try server.kill() } catch { state.withLock { $0.error = error } }
            state.withLock { $0.ended = true }
        }
    }

    /// Waits for it; a run with fewer batches has not met it.
    func wait() throws {
        begin()
        try TestSupport.wait(for: "the server's death", seconds: 120) { state.withLock(\.ended) }
        if let error = state.withLock(\.error) { throw error }
    }
}
