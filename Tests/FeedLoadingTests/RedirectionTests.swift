import Foundation
import ReaderStore
import TestSupport
import Testing

@testable import FeedLoading

@Suite(.timeLimit(.minutes(5))) struct RedirectionTests {
    @Test(
        arguments: [301, 302, 303, 307, 308],
        ["/new/feed", "../new/feed", "feed2", "?q=1", "//HOST/new/feed"])
    func redirectsAreFollowedWithTheValidators(status: Int, location: String) async throws {
        let server = try LoopbackServer { request in
            guard request.path == "/old/feed" else { return .feed(request.path) }
            let host = request.headers["host"] ?? ""
            return .answer(status, ["Location: \(location.replacing("HOST", with: host))"])
        }
        let target = try #require(URL(string: location, relativeTo: server.url("/old/feed")))
        let path = target.path() + (target.query().map { "?\($0)" } ?? "")
        let loaded = try await load(server.url("/old/feed"), since: FeedValidators(etag: "x"))
        let title = location.contains("HOST") ? "/new/feed" : path
        #expect(
            loaded
                == .articles([Article(title: title, url: server.url("/a").absoluteString)], FeedValidators()))
        #expect(server.requests.allSatisfy { $0.headers["if-none-match"] == "x" })
    }

    @Test func linksAreResolvedWhereTheFeedIsFound() async throws {
        let server = try LoopbackServer { request in
            request.path == "/deep/feed"
                ? .answer(200, [], Data(#"[{"title": "A", "url": "b"}]"#.utf8))
                : .answer(301, ["Location: /deep/feed"])
        }
        let article = Article(title: "A", url: server.url("/deep/b").absoluteString)
        #expect(try await load(server.url("/feed")) == .articles([article], FeedValidators()))
    }

    @Test func tenRedirectsAreFollowedAndNoMore() async throws {
        let server = try LoopbackServer { request in
            let left = Int(request.path.dropFirst()) ?? 0
            return left == 0 ? .feed("A") : .answer(302, ["Location: /\(left - 1)"])
        }
        #expect(await failure(server.url("/10")) == nil)
        let error = try #require(await failure(server.url("/11")))
        #expect(error.kind == .redirect)
        #expect(error.cause == "it redirects more than 10 times")
    }

    @Test func aLoopEnds() async throws {
        let server = try LoopbackServer { .answer(302, ["Location: \($0.path)"]) }
        #expect(await failure(server.url())?.kind == .redirect)
        #expect(server.requests.count == 11)
    }

    @Test(arguments: [
        "file:///etc/passwd", "FILE:/etc/passwd", "ftp://127.0.0.1/", "data:,[]", "javascript:1",
        "mailto:a@b",
        "http://", "http:///x",
    ])
    func noRedirectLeadsOutOfTheWeb(location: String) async throws {
        let server = try LoopbackServer { _ in .answer(302, ["Location: \(location)"]) }
        #expect(await failure(server.url())?.kind == .redirect)
        #expect(server.requests.count == 1)
    }

    @Test(arguments: [
        "//[::1]:1/x", "//:99999999/", "http://[", "%", "\u{7F}", "", "?%%", "#", "//a b/", "/\u{1}",
    ])
    func anOddRedirectIsAnErrorAndNoCrash(location: String) async throws {
        let server = try LoopbackServer { _ in .answer(302, ["Location: \(location)"]) }
        #expect(await failure(server.url()) != nil)
    }

    @Test func noRedirectGivesUpEncryption() throws {
        let url = try #require(URL(string: "https://a.example/feed"))
        #expect(throws: FeedError.self) { try Redirection.target(of: "http://a.example/feed", from: url) }
        #expect(
            try Redirection.target(of: "//b.example/x", from: url).absoluteString == "https://b.example/x")
    }

    @Test func passwordsAreNotSentElsewhere() async throws {
        let server = try LoopbackServer { request in
            guard request.path == "/feed" else { return .feed("A") }
            return .answer(302, ["Location: http://\(request.headers["host"] ?? "")/moved"])
        }
        let url = try #require(URL(string: server.url().absoluteString.replacing("//", with: "//me:secret@")))
        _ = try await load(url)
        #expect(server.requests.first?.headers["authorization"] != nil)
        #expect(server.requests.last?.headers["authorization"] == nil)
    }
}
