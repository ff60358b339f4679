import Foundation
import Pruning
import Retention
import TestSupport
import Testing

@testable import SQLitePruning

/// Rows that a rule deleted, and that are in the store again.
struct ReturnTests {
    @Test(
        "a row that is delivered again under another key counts once",
        arguments: DeliveredArticles.Kind.allCases)
    func deliveredAgain(_ kind: DeliveredArticles.Kind) throws {
        var articles = try DeliveredArticles(kind)
        let first = articles.run()
        #expect(first.deleted == 10 && first.cameBack == nil, "\(first)")
        #expect(articles.run().cameBack == 0)
        try articles.deliver("'g3'")
        try articles.deliver("'g10'")
        try articles.deliver("'n4'")
        #expect(articles.run().cameBack == 2)
        #expect(articles.run().cameBack == 0)
        try articles.deliver("'g4'")
        try articles.app.execute("DELETE FROM t WHERE guid = 'g3'")
        try articles.deliver("'g3'")
        #expect(articles.run().cameBack == 1, "g3 counted before, and nobody has pruned it since")
    }

    @Test("a row with another identity never counts: another feed, another type, or none at all")
    func otherIdentity() throws {
        var articles = try DeliveredArticles()
        try articles.app.execute("UPDATE t SET feed = NULL, guid = NULL WHERE id = 5")
        #expect(articles.run().deleted == 10)
        try articles.deliver("'g3'", feed: "other")
        try articles.deliver("CAST('g3' AS BLOB)")
        try articles.deliver("'n9'")
        try articles.app.execute("INSERT INTO t (at) VALUES (\(fresh))")
        #expect(articles.run().cameBack == 0)
    }

    @Test(
        "SQLite gives the highest id again: another article there never counts, and one that came back does")
    func reusedRowID() throws {
        var articles = try DeliveredArticles()
        try articles.app.execute("DELETE FROM t WHERE id > 10")
        #expect(articles.run().deleted == 10)
        for guid in ["'n5'", "'n6'"] { try articles.deliver(guid) }
        #expect(try articles.ids() == [1, 2])
        #expect(articles.run().cameBack == 0)
        try articles.app.execute("DELETE FROM t WHERE id = 2")
        try articles.deliver("'g7'", at: 0)
        #expect(try articles.ids() == [1, 2])
        #expect(articles.run().cameBack == 1)
    }

    @Test(
        "after the last look, old rows and rows with a new time are found under lower ids, too",
        arguments: [DeliveredArticles.Kind.plain, .indexed, .indexedByDay])
    func lowerIDs(_ kind: DeliveredArticles.Kind) throws {
        var articles = try DeliveredArticles(kind)
        #expect(articles.run().deleted == 10)
        #expect(articles.run().cameBack == 0)
        try articles.deliver("'g3'", id: "-5", at: Int64(runStart.timeIntervalSince1970))
        try articles.deliver("'g4'", id: "-6", at: old)
        try articles.deliver("'g5'", at: 7)
        let report = articles.run()
        #expect(report.cameBack == 3 && report.deleted == 1)
    }

    @Test("the last row counts when it comes back under its old id, whatever its time")
    func lastRow() throws {
        var articles = try DeliveredArticles()
        articles.rule.expiry = .deadline(column: "at", grace: nil)
        try articles.app.execute("DELETE FROM t WHERE id > 1")
        #expect(articles.run().deleted == 1)
        let start = Int64(runStart.timeIntervalSince1970)
        try articles.deliver("'n5'", at: start + 86_400)
        try articles.deliver("'n6'", at: start + 2 * 3_600)
        #expect(articles.run().cameBack == 0)
        for _ in 1...2 { _ = articles.run() }
        #expect(try articles.ids() == [1])
        try articles.deliver("'n6'", at: start + 86_400)
        #expect(try articles.ids() == [1, 2])
        #expect(articles.run().cameBack == 1)
    }

    @Test("where its app overwrites the file with an old copy, all that was pruned counts, each time")
    func oldCopy() throws {
        var articles = try DeliveredArticles()
        let copy = try Data(contentsOf: URL(filePath: articles.app.path))
        for _ in 1...2 {
            #expect(articles.run().deleted == 10)
            try copy.write(to: URL(filePath: articles.app.path))
            let report = articles.run()
            #expect(report.cameBack == 10 && report.deleted == 10)
            #expect(articles.run().cameBack == 0)
            try copy.write(to: URL(filePath: articles.app.path))
        }
    }

    @Test("a mark that the app takes away counts once, and a row that stays marked never")
    func marks() throws {
        var articles = try DeliveredArticles(action: .mark([MarkedColumn("gone", .integer(1))]))
        let first = articles.run()
        #expect(first.deleted == 10 && first.cameBack == nil)
        #expect(articles.run().cameBack == 0)
        try articles.app.execute("UPDATE t SET gone = 0 WHERE id IN (2, 3)")
        let report = articles.run()
        #expect(report.cameBack == 2 && report.deleted == 2)
        #expect(articles.run().cameBack == 0)
        articles.rule.action = .delete
        #expect(articles.run().cameBack == nil, "marked rows are there still, and did not come back")
    }

    @Test("without an identity, or without an archive, it is unknown")
    func unknown() throws {
        var articles = try DeliveredArticles(identity: [])
        for _ in 1...2 { #expect(articles.run().cameBack == nil) }
        try articles.deliver("'g3'")
        #expect(articles.run().cameBack == nil)
        articles.rule.identity = ["guid"]
        articles.rule.archiveKeep = nil
        #expect(articles.run().cameBack == nil)
    }

    @Test("by other columns than before it is unknown until rows were archived by them")
    func otherColumns() throws {
        var articles = try DeliveredArticles()
        #expect(articles.run().deleted == 10)
        articles.rule.identity = ["guid"]
        try articles.deliver("'x'", at: old)
        let report = articles.run()
        #expect(report.deleted == 1 && report.cameBack == nil)
        try articles.deliver("'x'", feed: "other")
        #expect(articles.run().cameBack == 1)
        articles.rule.identity = ["nothing"]
        #expect(articles.run().failure?.reason.contains("nothing") == true)
    }

    @Test("a dry run does not look, and takes nothing away")
    func dryRun() throws {
        var articles = try DeliveredArticles()
        #expect(articles.run().deleted == 10)
        try articles.deliver("'g3'")
        #expect(articles.store.prune(articles.rule, dryRun: true).rules[0].cameBack == nil)
        #expect(articles.run().cameBack == 1)
    }

    @Test("all rules of a store look before the first one deletes")
    func beforeAll() throws {
        var articles = try DeliveredArticles()
        #expect(articles.run().deleted == 10)
        try articles.deliver("'g3'", at: old)
        var other = RetentionRule.archiving(name: "first")
        other.identity = ["guid"]
        let reports = articles.store.prune(other, articles.rule).rules
        #expect(reports.map(\.deleted) == [1, 0])
        #expect(reports.map(\.cameBack) == [nil, 1])
    }

    @Test(
        "beside an app that is in the middle of a write to its rollback journal, rows are found piece by piece"
    )
    func besideWriter() throws {
        var articles = try DeliveredArticles()
        #expect(articles.run().deleted == 10)
        for guid in ["'g3'", "'g8'"] { try articles.deliver(guid) }
        try articles.app.execute(
            """
            WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n LIMIT 2000)
            INSERT INTO t (feed, guid, at) SELECT 'f', 'x' || i, \(fresh) FROM n;
            """)
        try articles.deliver("'g9'")
        let app = try SQLiteShell(articles.app.path)
        try app.run("BEGIN IMMEDIATE; INSERT INTO t (feed, guid, at) VALUES ('f', 'g1', \(fresh));")
        #expect(try look(articles) == 3)
        try app.run("COMMIT;")
        #expect(try look(articles) == 1)
    }

    private func look(_ articles: DeliveredArticles, mostCandidates: Int = 200_000) throws -> Int64? {
        let view = try SQLiteView(
            path: articles.app.path, control: freeControl(),
            archive: StoreArchive(archive: articles.store.archive, store: "s"))
        defer { view.close() }
        view.mostCandidates = mostCandidates
        return try view.cameBack(of: PruneTask(articles.rule, start: runStart, in: .gmt))
    }

    @Test("however few identities fit into memory, each row is found")
    func chunks() throws {
        var articles = try DeliveredArticles(.inWAL)
        #expect(articles.run().deleted == 10)
        for number in 1...10 { try articles.deliver("'g\(number)'") }
        for number in 1...10 { try articles.deliver("'g\(number)'", feed: "other") }
        for most in [1, 3, 7] {
            let found = try look(articles, mostCandidates: most)
            #expect(found == (most == 1 ? 10 : 0))
        }
    }
}
