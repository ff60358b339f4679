import Foundation
import TestSupport
import Testing

@testable import FeedLoading

@Suite(.timeLimit(.minutes(5))) struct HostileFeedTests {
    @Test(arguments: [
        ("", "an empty answer"), (" \n", "an empty answer"), ("hello", "plain text"),
        ("\0\u{1}", "binary data"),
        ("<!DOCTYPE html><p>", "an HTML page"), ("\n<HTML><head>", "an HTML page"),
        ("<?xml version='1.0'?><html xmlns='http://www.w3.org/1999/xhtml'/>", "an HTML page"),
        ("<svg xmlns='x'/>", "XML of some other kind, <svg>"), ("<feed/>", "XML of some other kind, <feed>"),
        (#"{"error": "no"}"#, "a JSON object of some other kind"), ("{}", "a JSON object of some other kind"),
        ("[1, 2]", "a list without any title or link"),
        (#"[{"error": 1}]"#, "a list without any title or link"),
        ("<rss><channel><item/></channel></rss>", "a list without any title or link"),
    ])
    func whatIsNoFeedIsSaidToBeWhatItLooksLike(text: String, looks: String) throws {
        let error = try #require(throws: FeedError.self) { try articles(text) }
        #expect(error.kind == .notAFeed)
        #expect(
            "\(error)" == "cannot read https://feed.example/blog/feed: it is not a feed but \(looks) "
                + "(look for the address of the feed; RSS, Atom, JSON Feed and JSON arrays are read)")
    }

    @Test(arguments: [
        "[{\"title\": \"A\"}", "[{\"title\": \"A\"},", "[{\"title\": \"A\"}] x", "{\"version\": ", "<", "<!",
        "<rss",
        "<rss>", "<rss><channel><item><title>A</title></item></channel>", "<rss></rss", "<rss/><rss/>",
        "<rss/>x",
        "<rss><item><title>A</item></rss>", "<rss><item><title>A&nbsp;B</title></item></rss>",
        "{\"version\": \"https://jsonfeed.org/version/1\"}",
    ])
    func whatIsBrokenOrNotWholeIsAnErrorAndNoShorterFeed(text: String) throws {
        let error = try #require(throws: FeedError.self) { try articles(text) }
        #expect(error.kind == .malformed)
    }

    @Test func brokenXMLIsSaidToBeBrokenInItsLine() throws {
        let error = try #require(throws: FeedError.self) { try articles("<rss>\n<a>\n</b></rss>") }
        #expect(error.cause == "its XML is broken or incomplete at line 3")
    }

    @Test func entitiesThatMultiplyAreRefused() throws {
        var text = "<!-- <rss> --><!DOCTYPE rss [<!ENTITY a0 'lol'>"
        for level in 1...9 {
            text += "<!ENTITY a\(level) '" + String(repeating: "&a\(level - 1);", count: 10) + "'>"
        }
        let error = try #require(throws: FeedError.self) {
            try articles(text + "]><rss><item><title>&a9;</title></item></rss>")
        }
        #expect(error.cause == "it declares entities of its own, which are not resolved")
        let attribute = text + "]><rss><item><title a='&a9;'>A</title></item></rss>"
        #expect(throws: FeedError.self) { try articles(attribute) }
    }

    @Test(arguments: [
        "<!ENTITY x SYSTEM 'file://FILE'>", "<!ENTITY % x SYSTEM 'file://FILE'> %x;", "<!ENTITY x 'y'>",
    ])
    func noFileOfThisMachineIsRead(declaration: String) throws {
        let directory = try TemporaryDirectory()
        try "<!ENTITY y 'secret'>".write(toFile: directory.path + "/x", atomically: true, encoding: .utf8)
        let subset = declaration.replacing("FILE", with: directory.path + "/x")
        let text = "<!DOCTYPE rss [\(subset)]><rss><item><title>A</title></item></rss>"
        let error = try #require(throws: FeedError.self) { try articles(text) }
        #expect(error.cause == "it declares entities of its own, which are not resolved")
    }

    @Test(arguments: [" a#='>'", " a#=\"'\"", "\nxmlns:a#='x'"])
    func attributesWithoutEndAreRefused(attribute: String) throws {
        func rss(_ count: Int) -> String {
            let attributes = (0..<count).map { attribute.replacing("#", with: "\($0)") }.joined()
            return "<rss><![CDATA[<a '\"]]><item\(attributes)><title>A</title></item></rss>"
        }
        #expect(try articles(rss(1000)) == ["A | "])
        let error = try #require(throws: FeedError.self) { try articles(rss(1001)) }
        #expect(error.cause == "an element of it has more than 1000 attributes")
    }

    /// So that libxml2 compares the namespace of each element with all of these.
    private func manyNamespaces(_ count: Int, elements: Int, each: Int = 1) -> Data {
        let nested = (0..<count).map { level in
            "<a" + (0..<each).map { " xmlns:n\(level)x\($0)='u'" }.joined() + ">"
        }.joined()
        let text = "<rss><item><title>A</title></item>" + nested + String(repeating: "<b/>", count: elements)
        return Data((text + String(repeating: "</a>", count: count) + "</rss>").utf8)
    }

    @Test func namespacesWithoutEndAreGivenUpInTime() async throws {
        let data = manyNamespaces(200, elements: 2_000)
        #expect(try FeedParser.articles(in: data).count == 1)
        let error = try #require(throws: FeedError.self) { try FeedParser.articles(in: data) { true } }
        #expect(error.kind == .timeout)
        // A second and more if it were read to its end.
        let server = try LoopbackServer { [self] _ in
            .answer(200, [], manyNamespaces(200, elements: 1_000_000, each: 100))
        }
        let late = await failure(server.url(), limits: LoadingLimits(time: .milliseconds(300)))
        #expect(late?.kind == .timeout)
    }

    @Test func whatIsReadIsGivenUpWithItsTask() async throws {
        let (reading, begin) = AsyncStream<Void>.makeStream()
        let task = Task {
            try await Blocking.run { isCancelled in
                try FeedParser.articles(in: manyNamespaces(200, elements: 1_000_000, each: 100)) {
                    begin.yield()
                    return isCancelled()
                }
            }
        }
        for await _ in reading { break }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func noDocumentTypeIsLoaded() throws {
        let directory = try TemporaryDirectory()
        try "<!ENTITY y 'secret'>".write(toFile: directory.path + "/x", atomically: true, encoding: .utf8)
        let text =
            "<!DOCTYPE rss SYSTEM 'file://\(directory.path)/x'><rss><item><title>A&y;B</title></item></rss>"
        #expect(try articles(text) == ["A&y;B | "])
    }

    @Test(arguments: ["<rss>", "[", "{\"a\":", "<rss><item>"])
    func endlessNestingIsAnErrorAndNoCrash(text: String) {
        #expect(throws: FeedError.self) { try articles(String(repeating: text, count: 200_000)) }
    }

    @Test func nothingThatIsAlmostAFeedCrashes() {
        let seeds = [
            "<?xml version='1.0' encoding='ISO-8859-1'?><rss xmlns:m='u'><channel><item m:a='1'><title>A &amp; B &#233;"
                + "<!-- c --><![CDATA[x]]></title><link>http://x/</link><?pi d?></item></channel></rss>",
            "<!DOCTYPE rss SYSTEM 'x' [<!ATTLIST a b CDATA #IMPLIED><!NOTATION n SYSTEM 'x'>]><rss><item><title>&x;"
                + "</title></item></rss>",
            "<feed xmlns='http://www.w3.org/2005/Atom' xml:base='a'><entry><link href='b'/></entry></feed>",
            #"{"version": "https://jsonfeed.org/version/1", "items": [{"title": "A", "url": "http://x"}]}"#,
        ]
        var generator = SeededGenerator(seed: 5)
        for _ in 0..<5000 {
            var bytes = Array(seeds.randomElement(using: &generator)?.utf8 ?? "".utf8)
            for _ in 0...Int.random(in: 0..<4, using: &generator) {
                let place = Int.random(in: bytes.indices, using: &generator)
                switch Int.random(in: 0..<3, using: &generator) {
                case 0: bytes[place] = UInt8.random(in: .min ... .max, using: &generator)
                case 1: bytes.removeSubrange(place..<min(place + 3, bytes.count))
                default: bytes.insert(contentsOf: bytes[place...].prefix(9), at: place)
                }
            }
            // What comes of it is no matter: that it comes back is.
            _ = try? articles(Data(bytes))
        }
    }
}
