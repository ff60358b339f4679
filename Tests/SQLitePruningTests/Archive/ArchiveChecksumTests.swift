import Archive
import Foundation
import Pruning
import Retention
import TestSupport
import Testing

@testable import SQLitePruning

/// What is not in the archive as it was written.
struct ArchiveChecksumTests {
    /// Rows 1 to 5 and 6 to 10, archived by two rules of one run: two batches of parts of their own.
    private func archived() throws -> ArchivedStore {
        let app = try ArchivedStore(
            """
            CREATE TABLE t (id INTEGER PRIMARY KEY, x, at INTEGER);
            CREATE TABLE u (id INTEGER PRIMARY KEY, x, at INTEGER);
            INSERT INTO t SELECT value, 'text ' || value, \(old) FROM json_each('[1, 2, 3, 4, 5]');
            INSERT INTO u SELECT * FROM t;
            """)
        #expect(try app.pruneInOneBatch(.archiving()) == 5)
        #expect(try app.pruneInOneBatch(.archiving("u", name: "others")) == 5)
        return app
    }

    @Test(
        "of a batch with a bit that is another nothing comes back, and of the others all",
        arguments: [
            "rows = CAST(replace(rows, 'text 3', 'text 7') AS BLOB)",
            "rows = substr(rows, 1, length(rows) - 1)",
            "row_count = 4", "row_count = 9223372036854775807", "columns = replace(columns, 'x', 'at')",
            "has_place = 1",
            "checksum = checksum + 1",
            "columns = 'x'", "rows = x''",
        ])
    func damaged(change: String) throws {
        let app = try archived()
        try SQLiteShell(app.archivePath).run("UPDATE batch SET \(change) WHERE \"table\" = 't';")
        for dryRun in [true, false] {
            let reports = try app.restore(dryRun: dryRun).sorted { $0.part.table < $1.part.table }
            #expect(reports.map(\.restored) == [0, 5], "\(reports)")
            #expect(reports[0].skipped == [.damaged: reports[0].part.rows] && reports[1].skipped == [:])
        }
        #expect(try app.app.integers("SELECT count(*) FROM t UNION ALL SELECT count(*) FROM u") == [0, 5])
        #expect(try app.archivedRows() > 0)
    }

    @Test("a restore of damaged rows has failed as damaged, tells the run, and goes on with what is whole")
    func report() throws {
        let app = try ArchivedStore(
            """
            CREATE TABLE t (id INTEGER PRIMARY KEY, x, at INTEGER);
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
            INSERT INTO t SELECT i, printf('%100d', i), \(old) FROM n;
            """)
        #expect(app.prune(.archiving()).rules[0].deleted == 3_000)
        let archive = try SQLiteShell(app.archivePath)
        try archive.run("UPDATE batch SET checksum = checksum + 1 WHERE id = 2;")
        let text = try archive.run("SELECT row_count FROM batch WHERE id = 2;")
        let lost = try #require(Int64(text.trimmingCharacters(in: .whitespacesAndNewlines)))
        let part = try #require(app.archive.parts(freeControl()).first)
        let run = RestoreRun(
            part, into: app.store, leaseEnd: runStart, settings: RunSettings(monotonic: systemMonotonic),
            control: freeControl())
        let report = try #require(RestoreRun.execute([run]).first)
        #expect(report.restored == 3_000 - lost && report.skipped == [.damaged: lost])
        #expect(report.outcome == .failed && report.failure?.kind == .fault(.damaged))
        #expect(report.failure?.operation.contains(part.runID) == true)
        #expect(report.failure?.hint != nil)
    }

    @Test("a damaged lease holds the rules that it may keep rows from, until it is over")
    func damagedLease() throws {
        let app = try archived()
        _ = try app.restore()
        try SQLiteShell(app.archivePath).run(
            "UPDATE lease SET fingerprints = zeroblob(length(fingerprints)) WHERE \"table\" = 't';")
        for rule in [RetentionRule.archiving(), .old()] {
            let report = app.prune(rule).rules[0]
            #expect(report.outcome == .held && report.deleted == 0, "\(report)")
            #expect(report.failure?.kind == .leases && report.failure?.cause.contains("damaged") == true)
        }
        #expect(app.prune(.archiving("u", name: "others")).rules[0].expired == 0)
        let later = runStart.addingTimeInterval(31 * 86_400)
        #expect(app.prune(.archiving(), at: later).rules[0].deleted == 5)
    }

    @Test("a file of another version, or none of pruned's, stays as it is", arguments: [0, 1, 2])
    func otherFile(version: Int) throws {
        let app = try ArchivedStore(
            "CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER); INSERT INTO t VALUES (1, \(old));")
        let other = try SQLiteShell(app.archivePath)
        try other.run("CREATE TABLE mine (x); PRAGMA user_version = \(version);")
        #expect(app.prune(.archiving()).rules[0].deleted == 0)
        #expect(
            try other.run("SELECT group_concat(name) FROM sqlite_schema; PRAGMA user_version;")
                == "mine\n\(version)\n")
    }

    @Test(
        "the hash is XXH64",
        arguments: [
            ("", 0xEF46_DB37_51D8_E999), ("a", 0xD24E_C4F1_A98C_6E5B), ("abc", 0x44BC_2CF5_AD77_0999),
            ("Nobody inspects the spammish repetition", 0xFBCE_A83C_8A37_8BF1),
        ] as [(String, UInt64)])
    func knownHashes(text: String, hash: UInt64) {
        #expect(XXHash64.hash(Array(text.utf8)) == hash)
    }
}
