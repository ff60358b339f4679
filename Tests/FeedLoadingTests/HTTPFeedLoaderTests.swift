import FeedLoading
import Foundation
import ReaderStore
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct HTTPFeedLoaderTests {
    @Test func aFeedIsLoadedWithItsValidatorsAndItsLinksAreAbsolute() async throws {
        let server = try LoopbackServer { _ in
            .feed("A", [#"ETag: W/"x-1, 2""#, "Last-Modified: Sat, 21 Nov 2026 10:00:00 GMT"])
        }
        let loaded = try await load(server.url("/dir/feed"))
        let expected = FeedValidators(etag: #"W/"x-1, 2""#, lastModified: "Sat, 21 Nov 2026 10:00:00 GMT")
        #expect(loaded == .articles([Article(title: "A", url: server.url("/a").absoluteString)], expected))
    }

    @Test func theAddressIsAskedForTheTab() async throws {
        let server = try LoopbackServer { .feed($0.path) }
        let loader = HTTPFeedLoader(address: { server.url("/\($0)") }, limits: patience)
        let article = Article(title: "/42", url: server.url("/a").absoluteString)
        #expect(try await loader.load(tab: 42, since: nil) == .articles([article], FeedValidators()))
    }

    @Test func aFailureToTellTheAddressIsPassedOn() async {
        let loader = HTTPFeedLoader(address: { _ in throw POSIXError(.ENOENT) })
        await #expect(throws: POSIXError(.ENOENT)) { try await loader.load(tab: 1, since: nil) }
    }

    @Test(arguments: [#""abc""#, #"W/"x-1, 2""#, "no quotes", #""ümlaut""#])
    func validatorsAreSentBackAsTheyCame(etag: String) async throws {
        let server = try LoopbackServer { request in
            request.headers["if-none-match"] == nil
                ? .feed("A", ["ETag: \(etag)", "last-modified: yesterday"])
                : .answer(304)
        }
        guard case .articles(_, let validators) = try await load(server.url()) else {
            Issue.record("not modified at first")
            return
        }
        #expect(try await load(server.url(), since: validators) == .notModified)
        #expect(server.requests.last?.headers["if-none-match"] == etag)
        #expect(server.requests.last?.headers["if-modified-since"] == "yesterday")
    }

    @Test func nothingIsAskedConditionallyWithoutValidators() async throws {
        let server = try LoopbackServer { _ in .feed("A") }
        _ = try await load(server.url(), since: FeedValidators(etag: "", lastModified: nil))
        let headers = try #require(server.requests.first).headers
        #expect(headers["if-none-match"] == nil && headers["if-modified-since"] == nil)
    }

    @Test func notModifiedIsAnErrorWhenNothingWasCached() async throws {
        let server = try LoopbackServer { _ in .answer(304) }
        #expect(await failure(server.url())?.kind == .status(304))
        await #expect(throws: FeedError.self) {
            try await load(server.url(), since: FeedValidators(etag: ""))
        }
    }

    @Test func aValidatorCannotSmuggleInAHeader() async throws {
        let server = try LoopbackServer { _ in .feed("A") }
        _ = try await load(server.url(), since: FeedValidators(etag: "x\r\nX-Evil: 1", lastModified: "ok"))
        let headers = try #require(server.requests.first).headers
        #expect(headers["x-evil"] == nil && headers["if-none-match"] == nil)
        #expect(headers["if-modified-since"] == "ok")
    }

    @Test func aRequestSaysWhatIsReadAndByWhom() async throws {
        let server = try LoopbackServer { _ in .feed("A", ["Set-Cookie: a=b"]) }
        let loader = HTTPFeedLoader(address: { _ in server.url() }, limits: patience)
        for _ in 1...2 { _ = try await loader.load(tab: 1, since: nil) }
        for request in server.requests {
            #expect(request.headers["accept"]?.contains("application/rss+xml") == true)
            #expect(request.headers["user-agent"] == "ReaderStore")
            #expect(request.headers["accept-encoding"]?.contains("gzip") == true)
            #expect(request.headers["cookie"] == nil)
        }
        #expect(server.requests.count == 2)
    }

    @Test func aCompressedFeedIsRead() async throws {
        // printf '[{"title":"Compressed"}]' | gzip -n | base64
        let body = "H4sIAAAAAAAAA4uuVirJLMlJVbJScs7PLShKLS5OTVGqjQUAThMxwRgAAAA="
        let data = try #require(Data(base64Encoded: body))
        let server = try LoopbackServer { _ in .answer(200, ["Content-Encoding: gzip"], data) }
        let article = Article(title: "Compressed", url: "")
        #expect(try await load(server.url()) == .articles([article], FeedValidators()))
    }

    @Test func theCharacterSetOfTheContentTypeCounts() async throws {
        let body =
            Data("<rss><channel><item><title>".utf8) + Data([0xE9])
            + Data("</title></item></channel></rss>".utf8)
        let server = try LoopbackServer { _ in
            .answer(200, ["Content-Type: text/xml; charset=iso-8859-1"], body)
        }
        #expect(try await load(server.url()) == .articles([Article(title: "é", url: "")], FeedValidators()))
    }

    @Test func aHundredAtOnceAreAllServed() async throws {
        let server = try LoopbackServer { .feed($0.path) }
        let loader = HTTPFeedLoader(address: { server.url("/\($0)") }, limits: patience)
        let titles = try await withThrowingTaskGroup { group in
            for tab in 0..<100 as Range<Int64> {
                group.addTask { try await loader.load(tab: tab, since: nil) }
            }
            return try await group.reduce(into: Set<String>()) { titles, feed in
                if case .articles(let articles, _) = feed { titles.formUnion(articles.map(\.title)) }
            }
        }
        #expect(titles == Set((0..<100).map { "/\($0)" }))
    }

    @Test func cancellationEndsTheRequestAtOnce() async throws {
        let (asked, ask) = AsyncStream<Void>.makeStream()
        let server = try LoopbackServer { _ in
            ask.yield()
            return .silence
        }
        let loading = Task { try await load(server.url()) }
        for await _ in asked { break }
        loading.cancel()
        await #expect(throws: CancellationError.self) { try await loading.value }
    }

    @Test func aCancelledTaskAsksNobody() async throws {
        let server = try LoopbackServer { _ in .silence }
        let loading = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await load(server.url())
        }
        await #expect(throws: CancellationError.self) { try await loading.value }
    }
}
