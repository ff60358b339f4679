import Foundation
import Testing

/// Debian's newsboat beside pruned, on its own cache with feeds from loopback.
@Suite struct NewsboatTests {
    private static let feeds = ["alpha", "beta"]

    /// newsboat with articles 1 to 20 of two feeds. Those of alpha were read; alpha 2 was flagged.
    private func filled() throws -> (newsboat: Newsboat, prepared: ConfiguredStore, server: FeedServer) {
        let server = try FeedServer()
        let newsboat = try Newsboat(feeds: Self.feeds.map(server.url))
        try newsboat.reload()
        try newsboat.read(FeedServer.first.map { "alpha-\($0)" })
        try newsboat.cache.query("UPDATE rss_item SET flags = 's' WHERE guid = 'alpha-2'")
        return (newsboat, try ConfiguredStore("newsboat", at: newsboat.cache.path), server)
    }

    private func ids(_ condition: String, in newsboat: Newsboat) throws -> Set<String> {
        Set(
            try newsboat.cache.query("SELECT guid FROM rss_item WHERE \(condition)").split(separator: "\n")
                .map(String.init))
    }

    @Test(
        "what was read and is old is hidden, also when newsboat fetches it again, until newsboat clears it away"
    )
    func marked() throws {
        let (newsboat, prepared, server) = try filled()
        let suggested = try prepared.suggest()
        #expect(suggested.output.contains("preset = \"newsboat\""), "\(suggested)")
        let run = try prepared.run()
        #expect(run.status == 0, "\(run)")
        let gone = Set(FeedServer.old.map { "alpha-\($0)" }).subtracting(["alpha-2"])
        #expect(try run.report()[ConfiguredStore.rule]?.deleted == gone.count, "\(run)")
        #expect(try ids("deleted = 1", in: newsboat) == gone)

        let unread = try ids("unread = 1 AND deleted = 0", in: newsboat)
        #expect(unread == Set(FeedServer.first.map { "beta-\($0)" }))
        for _ in 1...2 {
            try newsboat.reload()
            #expect(try ids("unread = 1 AND deleted = 0", in: newsboat) == unread)
            #expect(try ids("deleted = 1", in: newsboat) == gone)
            #expect(try ids("flags = 's' AND deleted = 0", in: newsboat) == ["alpha-2"])
        }
        #expect(try prepared.run().checked().report()[ConfiguredStore.rule]?.deleted == 0)

        // When the feed no longer lists them, newsboat deletes the rows.
        server.list(12...21)
        try newsboat.reload()
        #expect(try ids("deleted = 1", in: newsboat) == [])
        #expect(try ids("feedurl LIKE '%alpha%' AND unread = 1", in: newsboat) == ["alpha-21"])
        #expect(try ids("flags = 's'", in: newsboat) == ["alpha-2"])
        #expect(try newsboat.cache.health() == "ok")
    }

    @Test(
        "newsboat waits for no lock: what it fetches meanwhile is lost without a word, so nothing may lock it for long"
    )
    func noBusyTimeout() throws {
        let (newsboat, _, server) = try filled()
        let other = try newsboat.cache.program.start(feeds: true)
        try other.feed("BEGIN IMMEDIATE;\n.print locked\n")
        try eventually("the cache is locked") { other.output.contains("locked") }
        server.list(1...21)
        let reload = try newsboat.program("-x", "reload").run()
        #expect(reload.status == 0, "\(reload)")
        #expect(try ids("guid LIKE '%-21'", in: newsboat) == [])
        try other.feed("COMMIT;\n")
        try other.wait().checked()
        try newsboat.reload()
        #expect(try ids("guid LIKE '%-21'", in: newsboat) == ["alpha-21", "beta-21"])
    }

    @Test("while newsboat runs, which waits for no lock, nothing is pruned")
    func running() throws {
        let (newsboat, prepared, server) = try filled()
        server.fallSilent()
        let reload = try newsboat.program("-x", "reload").start()
        try eventually("newsboat fetches") { server.requests(for: "alpha") > 1 }
        let run = try prepared.run()
        #expect(run.status == 75, "\(run)")
        let report = try run.report()[ConfiguredStore.rule]
        #expect(report?.outcome == "skipped" && report?.deleted == 0, "\(run)")
        #expect(report?.reason?.contains("newsboat") == true, "\(run)")
        #expect(try ids("deleted = 1", in: newsboat) == [])

        // Killed, it leaves its lock file behind, which nobody has locked anymore.
        reload.send(SIGKILL)
        _ = try reload.wait()
        #expect(access(newsboat.cache.path + ".lock", F_OK) == 0)
        #expect(try prepared.run().checked().report()[ConfiguredStore.rule]?.deleted == 10)
    }

    @Test("restored articles are shown again, as read, and newsboat leaves them so")
    func restored() throws {
        let (newsboat, prepared, _) = try filled()
        let run = try prepared.run().checked()
        #expect(try ids("deleted = 1", in: newsboat).count == 10)
        let id = try #require(run.output.firstMatch(of: /"run_id":"([^"]+)"/)?.output.1)
        let configuration = try prepared.configuration()
        try prepared.state.pruned("restore", String(id), "--config", configuration).run().checked()
        for _ in 1...2 {
            #expect(try ids("deleted = 1", in: newsboat) == [])
            #expect(try ids("unread = 1", in: newsboat) == Set(FeedServer.first.map { "beta-\($0)" }))
            try newsboat.reload()
        }
        // They stay for a while, as whoever brought them back expects.
        #expect(try prepared.run().checked().report()[ConfiguredStore.rule]?.deleted == 0)
    }
}
