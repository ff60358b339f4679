import Foundation
import Synchronization
import TestSupport

/// RSS feeds on loopback, each with the same articles. What they list can change while an app reads.
///
/// Article `i` was published `10 * (20 - i) + 5` days ago: the first eleven are older than 90 days.
final class FeedServer: Sendable {
    /// The articles that the apps find at first.
    static let first = 1...20
    /// Those of them that are older than 90 days.
    static let old = 1...11

    private struct State {
        var listed = FeedServer.first
        var answers = true
    }

    private final class Contents: Sendable {
        let state = Mutex(State())
        /// When article 20 was published.
        let newest = Date(timeIntervalSinceNow: -5 * 86_400)
    }

    private let contents = Contents()
    private let server: LoopbackServer

    init() throws {
        let contents = contents
        server = try LoopbackServer { request in
            guard request.path.hasSuffix(".xml") else { return .answer(404) }
            let state = contents.state.withLock { $0 }
            guard state.answers else { return .silence }
            let feed = String(request.path.dropFirst().dropLast(4))
            return .answer(
                200, ["Content-Type: application/rss+xml"],
                Data(Self.text(of: feed, state.listed, newest: contents.newest).utf8))
        }
    }

    /// The feed's address. Its articles have the IDs `feed-1`, `feed-2`, ...
    func url(_ feed: String) -> String { server.url("/\(feed).xml").absoluteString }

    /// From now on the feeds list these articles.
    func list(_ articles: ClosedRange<Int>) {
        contents.state.withLock { $0.listed = articles }
    }

    /// From now on it accepts connections and sends nothing.
    func fallSilent() {
        contents.state.withLock { $0.answers = false }
    }

    /// How often a feed was asked for.
    func requests(for feed: String) -> Int {
        server.requests.count { $0.path == "/\(feed).xml" }
    }

    private static func text(of feed: String, _ articles: ClosedRange<Int>, newest: Date) -> String {
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = TimeZone(secondsFromGMT: 0)
        format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        let items = articles.map { number in
            """
            <item><title>\(feed) \(number)</title><link>http://127.0.0.1/\(feed)/\(number)</link>
            <guid isPermaLink="false">\(feed)-\(number)</guid><description>Text \(number)</description>
            <pubDate>\(format.string(from: newest + Double(number - 20) * 864_000))</pubDate></item>
            """
        }
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <rss version="2.0"><channel><title>\(feed)</title><link>http://127.0.0.1/</link><description>d</description>
            \(items.joined(separator: "\n"))
            </channel></rss>
            """
    }
}
