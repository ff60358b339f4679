import FeedLoading
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct HTTPFailureTests {
    @Test(arguments: [204, 206, 302, 400, 401, 404, 410, 429, 500, 503])
    func everyOtherStatusIsAnErrorThatNamesIt(status: Int) async throws {
        let server = try LoopbackServer { _ in .answer(status, [], Data("[{\"title\": \"A\"}]".utf8)) }
        let error = try #require(await failure(server.url()))
        #expect(error.kind == .status(status))
        #expect(
            "\(error)".hasPrefix("cannot load \(server.url()): the server answered with status \(status) (")
                && !"\(error)".contains("\n"))
    }

    @Test func whatComesWithAnErrorIsNotWaitedFor() async throws {
        let server = try LoopbackServer { _ in .drip(Data("HTTP/1.1 404 X\r\nConnection: close\r\n\r\n".utf8))
        }
        #expect(
            await failure(server.url(), limits: patience)?.kind == .status(404))
    }

    @Test(arguments: [
        LoopbackServer.Reply.silence,
        .drip(Data("HTTP/1.1 200 OK\r\nX: ".utf8)),
        .drip(Data("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n[".utf8)),
        .drip(Data("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n[".utf8)),
    ])
    func aSlowAnswerIsGivenUpInTime(reply: LoopbackServer.Reply) async throws {
        let server = try LoopbackServer { _ in reply }
        let error = try #require(await failure(server.url(), limits: LoadingLimits(time: .milliseconds(200))))
        #expect(error.kind == .timeout)
        #expect(error.cause == "it took longer than 200ms")
    }

    @Test func theTimeCountsForAllRedirectsTogether() async throws {
        let server = try LoopbackServer { $0.path == "/end" ? .silence : .answer(302, ["Location: /end"]) }
        let error = await failure(server.url(), limits: LoadingLimits(time: .milliseconds(200)))
        #expect(error?.kind == .timeout)
    }

    @Test(arguments: [
        "Content-Length: 1000\r\n\r\n[{\"title\": \"A\"}]",
        "Content-Length: 1000\r\n\r\n",
        "Transfer-Encoding: chunked\r\n\r\n11\r\n[{\"title\": \"A\"}]\r\n",
        "Transfer-Encoding: chunked\r\n\r\nFF\r\n[{\"title\": \"A\"}]",
    ])
    func anAnswerThatBreaksOffIsAnError(rest: String) async throws {
        let server = try LoopbackServer { _ in .text("HTTP/1.1 200 OK\r\n\(rest)") }
        #expect(await failure(server.url())?.kind == .incomplete)
    }

    @Test(arguments: ["[{\"title\": \"A\"}", "<rss><channel><item><title>A</title></item>"])
    func aFeedThatBreaksOffIsAnErrorWhereNoLengthWasSaid(body: String) async throws {
        let server = try LoopbackServer { _ in .text("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n\(body)") }
        #expect(await failure(server.url())?.kind == .malformed)
    }

    @Test(arguments: ["", "rubbish\r\n\r\n", "HTTP/1.1 200"])
    func anAnswerThatIsNotHTTPIsAnError(text: String) async throws {
        let server = try LoopbackServer { _ in .text(text) }
        #expect(await failure(server.url())?.kind == .connection)
    }

    @Test(arguments: ["Content-Length: 50000000", "X: y"])
    func aHugeAnswerIsNotReadToItsEnd(header: String) async throws {
        let head = Data("HTTP/1.1 200 OK\r\nConnection: close\r\n\(header)\r\n\r\n".utf8)
        let server = try LoopbackServer { _ in .bytes(head + Data(repeating: 0x20, count: 50_000_000)) }
        let error = try #require(await failure(server.url()))
        #expect(error.kind == .size)
        #expect(error.cause == "the answer is larger than 10000000 bytes")
        #expect(server.sent < 30_000_000)
    }

    @Test(arguments: ["Content-Length: 16", "X: y"])
    func anAnswerOfJustTheLargestSizeIsRead(header: String) async throws {
        let server = try LoopbackServer { _ in
            .text("HTTP/1.1 200 OK\r\n\(header)\r\n\r\n[{\"title\": \"A\"}]")
        }
        #expect(await failure(server.url(), limits: LoadingLimits(size: 16, time: patience.time)) == nil)
        #expect(
            await failure(server.url(), limits: LoadingLimits(size: 15, time: patience.time))?.kind == .size)
    }

    @Test func aServerThatIsNotThereIsAnErrorOfTheConnection() async throws {
        // Nothing listens there: it takes root, and is served nowhere.
        let url = try #require(URL(string: "http://127.0.0.1:1/feed"))
        #expect(await failure(url)?.kind == .connection)
    }

    @Test(arguments: ["file:///etc/passwd", "ftp://127.0.0.1/feed", "data:,[]", "http:///feed", "feed"])
    func onlyAddressesInTheWebAreLoaded(address: String) async throws {
        let url = try #require(URL(string: address))
        let error = try #require(await failure(url))
        #expect(error.kind == .address)
    }

    @Test func anErrorShowsNoPassword() async throws {
        let server = try LoopbackServer { _ in .answer(500) }
        let url = try #require(URL(string: server.url().absoluteString.replacing("//", with: "//me:secret@")))
        #expect(try #require(await failure(url)).place == server.url().absoluteString)
    }

    @Test func whatIsNoFeedIsSaidToBeNone() async throws {
        let server = try LoopbackServer { _ in .answer(200, [], Data("<!doctype html><p>Hello".utf8)) }
        let error = try #require(await failure(server.url()))
        #expect(error.kind == .notAFeed)
        #expect(error.cause == "it is not a feed but an HTML page")
    }

    @Test func brokenTextIsAnErrorAndNotRepaired() async throws {
        let body = Data("[{\"title\": \"".utf8) + Data([0xC3, 0x28]) + Data("\"}]".utf8)
        let server = try LoopbackServer { _ in .answer(200, [], body) }
        let error = try #require(await failure(server.url()))
        #expect(error.kind == .encoding)
        #expect(error.cause == "byte 12 is not UTF-8, the encoding that it is in")
    }
}
