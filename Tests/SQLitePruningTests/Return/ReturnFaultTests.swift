import Foundation
import Pruning
import Retention
import TestSupport
import Testing

@testable import SQLitePruning

/// What is no return though it looks like one, and looks that cannot be made.
struct ReturnFaultTests {
    @Test("a restored row never counts, nor one whose restore was cut off before the archive knew")
    func restored() throws {
        var articles = try DeliveredArticles()
        #expect(articles.run().deleted == 10)
        #expect(try articles.store.restore().map(\.restored) == [10])
        #expect(articles.run().cameBack == 0)

        var cut = try DeliveredArticles()
        #expect(try cut.store.pruneInOneBatch(cut.rule) == 10)
        let part = try #require(cut.store.archive.parts(freeControl()).first)
        let restorer = try cut.store.store.openRestorer(
            part, leaseEnd: runStart.addingTimeInterval(30 * 86_400), freeControl())
        #expect(try restorer.restoreBatch(rows: 4).restored == 4)
        let other = try SQLiteShell(cut.store.archivePath)
        try other.run("BEGIN IMMEDIATE;")
        restorer.close()
        try other.run("ROLLBACK;")
        try cut.deliver("'g9'")
        #expect(cut.run().cameBack == 1)
    }

    @Test(
        "what a restore leaves in the archive is found when it comes back, and a restored mark never counts")
    func partlyRestored() throws {
        var articles = try DeliveredArticles(action: .mark([MarkedColumn("gone", .integer(1))]))
        #expect(articles.run().deleted == 10)
        try articles.app.execute("UPDATE t SET gone = 2 WHERE id = 3")
        #expect(try articles.store.restore().map(\.restored) == [9])
        #expect(articles.run().cameBack == 1)
    }

    @Test("rows that a killed run archived and did not delete do not count, and later ones do")
    func killed() throws {
        var articles = try DeliveredArticles()
        let copy = try Data(contentsOf: URL(filePath: articles.app.path))
        #expect(articles.run().deleted == 10)
        // As if the run had ended before its first commit.
        try articles.inArchive("DELETE FROM deletion;")
        try copy.write(to: URL(filePath: articles.app.path))
        let report = articles.run()
        #expect(report.cameBack == 0 && report.deleted == 10)
        try articles.deliver("'g3'")
        #expect(articles.run().cameBack == 1)

        var other = try DeliveredArticles()
        #expect(other.run().deleted == 10)
        try other.inArchive("DELETE FROM deletion;")
        #expect(other.run().cameBack == 0)
        try other.deliver("'g3'")
        #expect(other.run().cameBack == 1, "a look has come after the killed run")
    }

    @Test("damaged identities are no zero: what came back is unknown, and the rule runs")
    func damaged() throws {
        var articles = try DeliveredArticles()
        #expect(articles.run().deleted == 10)
        try articles.inArchive("UPDATE identity SET hashes = randomblob(80);")
        try articles.deliver("'g3'")
        try articles.deliver("'x'", at: old)
        let report = articles.run()
        #expect(report.cameBack == nil && report.outcome == .done && report.deleted == 1)
    }

    @Test("what a look has found counts in the next one if it could not end")
    func cutOff() throws {
        var articles = try DeliveredArticles()
        #expect(articles.run().deleted == 10)
        try articles.deliver("'g3'")
        try articles.deliver("'x'", at: old)
        #expect(articles.run().deleted == 1)
        try articles.deliver("'g4'")
        try articles.inArchive(
            "CREATE TRIGGER stop BEFORE INSERT ON look WHEN NEW.began IS NOT NULL BEGIN SELECT RAISE(ABORT, 'x'); END;"
        )
        #expect(articles.run().cameBack == nil)
        try articles.inArchive("DROP TRIGGER stop;")
        #expect(articles.run().cameBack == 1)
    }

    @Test("while the archive is locked it is unknown, and is counted later")
    func locked() throws {
        var articles = try DeliveredArticles()
        #expect(articles.run().deleted == 10)
        try articles.deliver("'g3'")
        let other = try SQLiteShell(articles.store.archivePath)
        try other.run("BEGIN IMMEDIATE;")
        let report = articles.run()
        #expect(report.cameBack == nil && report.outcome == .done)
        try other.run("ROLLBACK;")
        #expect(articles.run().cameBack == 1)
    }

    @Test("an archive of an older version is used as it is: unknown first, then counted")
    func olderArchive() throws {
        var articles = try DeliveredArticles()
        #expect(articles.run().deleted == 10)
        try articles.inArchive("DROP TABLE identity; DROP TABLE look; DROP TABLE looked;")
        #expect(try articles.store.archivedRows() == 10)
        try articles.deliver("'x'", at: old)
        let report = articles.run()
        #expect(report.cameBack == nil && report.deleted == 1)
        try articles.deliver("'g3'", id: "100")
        try articles.deliver("'x'")
        #expect(articles.run().cameBack == 1)
        #expect(try articles.store.restore().map(\.restored).reduce(0, +) == 11)
    }

    @Test("identities leave the archive with their rows")
    func expiredArchive() throws {
        var articles = try DeliveredArticles()
        articles.rule.archiveKeep = Span(1, .day)
        #expect(articles.run().deleted == 10)
        let report = PruneRun.pruningArchive(of: articles.store, at: runStart.addingTimeInterval(3 * 86_400))
        #expect(report.rule(named: "archive")?.deleted ?? 0 > 0, "\(report)")
        #expect(try SQLiteShell(articles.store.archivePath).run("SELECT count(*) FROM identity;") == "0\n")
        try articles.deliver("'g3'")
        #expect(articles.run().cameBack == nil)
    }
}

extension PruneRun {
    /// A run without rules, which prunes an archive.
    fileprivate static func pruningArchive(of store: ArchivedStore, at start: Date) -> PruneReport {
        var generator = SystemRandomNumberGenerator()
        var settings = RunSettings(monotonic: systemMonotonic)
        settings.abandonedArchives = [store.archive.store(holder: "a test", monotonic: systemMonotonic)]
        return PruneRun(
            id: RunID(start: start, using: &generator), startedAt: start, rules: [], timeZone: .gmt,
            stores: [:], settings: settings, control: freeControl()
        ).execute { _ in }
    }
}
