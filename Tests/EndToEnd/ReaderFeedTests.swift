import Foundation
import Synchronization
import TestSupport
import Testing

/// `reader feed`, with a server on loopback.
@Suite struct ReaderFeedTests {
    /// Whose articles are titled as it is set, or which fails.
    private final class Site: Sendable {
        let title = Mutex<String?>("one")
        let server = Mutex<LoopbackServer?>(nil)

        func open() throws -> LoopbackServer {
            let server = try LoopbackServer { [self] request in
                guard let title = title.withLock({ $0 }) else { return .answer(500) }
                if request.headers["if-none-match"] == title { return .answer(304) }
                return .feed(title, ["ETag: \(title)"])
            }
            self.server.withLock { $0 = server }
            return server
        }
    }

    private func titles(_ ended: EndedProgram) throws -> [String] {
        let articles = try ended.object()["articles"] as? [NSDictionary]
        return articles?.compactMap { $0["title"] as? String } ?? []
    }

    @Test("a feed is loaded once, then shown from the cache, until a refresh; the address is remembered")
    func cachedAndRefreshed() throws {
        let (state, site) = (try StateDirectory(), Site())
        let server = try site.open()
        let url = server.url().absoluteString
        #expect(try titles(state.reader("feed", "7", "--url", url, "--json").run()) == ["one"])
        site.title.withLock { $0 = "two" }
        #expect(try titles(state.reader("feed", "7", "--json").run()) == ["one"])
        #expect(try titles(state.reader("feed", "7", "--url", url, "--json").run()) == ["one"])
        #expect(server.requests.count == 1)
        #expect(try titles(state.reader("feed", "7", "--refresh", "--json").run()) == ["two"])
        #expect(try titles(state.reader("feed", "7", "--refresh", "--json").run()) == ["two"])
        #expect(server.requests.map { $0.headers["if-none-match"] } == [nil, "one", "two"])
    }

    @Test("an address from which nothing can be loaded is not remembered, and what is cached stays")
    func badAddress() throws {
        let (state, site) = (try StateDirectory(), Site())
        let server = try site.open()
        try state.reader("feed", "7", "--url", server.url().absoluteString).run().checked()
        site.title.withLock { $0 = nil }
        let others = [
            (server.url("/elsewhere").absoluteString, 74), ("http://127.0.0.1:1/", 74),
            ("ftp://127.0.0.1/", 64),
        ]
        for (other, status) in others {
            let ended = try state.reader("feed", "7", "--url", other, "--stale").run()
            #expect(
                ended.status == status && ended.saysOneLine && ended.errors.contains(other), "\(ended)")
        }
        #expect(try titles(state.reader("feed", "7", "--json").run()) == ["one"])
        site.title.withLock { $0 = "two" }
        #expect(try titles(state.reader("feed", "7", "--refresh", "--json").run()) == ["two"])
    }

    @Test("what cannot be asked for is said in one line, without the password that may be in it (64)")
    func usage() throws {
        let state = try StateDirectory()
        for arguments in [["feed", "7"], ["feed", "7", "--url", "http://me:secret@[/"]] {
            let ended = try state.reader(arguments).run()
            #expect(ended.status == 64 && ended.saysOneLine && !ended.errors.contains("secret"), "\(ended)")
        }
    }

    @Test("another address takes the tab, and asks for nothing on the strength of the first one's validators")
    func moved() throws {
        let (state, sites) = (try StateDirectory(), [Site(), Site()])
        let servers = try sites.map { try $0.open() }
        for server in servers {
            let url = server.url().absoluteString
            #expect(
                try titles(state.reader("feed", "7", "--url", url, "--refresh", "--json").run()) == ["one"])
            #expect(server.requests.map { $0.headers["if-none-match"] } == [nil])
        }
        #expect(try titles(state.reader("feed", "7", "--refresh", "--json").run()) == ["one"])
        #expect(servers.map(\.requests.count) == [1, 2])
    }

    @Test("a server that fails is an error (74), or if asked for the stale articles with their age")
    func stale() throws {
        let (state, site) = (try StateDirectory(), Site())
        let server = try site.open()
        try state.reader("feed", "7", "--url", server.url().absoluteString).run().checked()
        site.title.withLock { $0 = nil }
        try state.store.query("UPDATE feed SET fetched_at = fetched_at - 3600, expires_at = fetched_at")
        let failed = try state.reader("feed", "7").run()
        #expect(failed.status == 74 && failed.saysOneLine && failed.errors.contains("500"), "\(failed)")
        let shown = try state.reader("feed", "7", "--stale").run().checked()
        #expect(shown.output.contains(#/^stale: loaded 36\d\d s ago\n/#), "\(shown)")
        #expect(shown.output.contains("one"), "\(shown)")
    }
}
