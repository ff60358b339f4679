import ArgumentParser
import Foundation
import ReaderStore
import TerminalText

/// Prints the output.
enum Output {
    /// Prints one value as JSON, on one line, with times in ISO 8601.
    static func print(json value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        try print(String(decoding: try encoder.encode(value), as: UTF8.self).escapedAsJSON)
    }

    /// Prints a table below a heading with its number of rows.
    static func print(_ heading: String, _ table: TextTable) throws {
        let lines = table.lines
        try print("\(heading): \(lines.count - 1)")
        if lines.count > 1 { try print(lines.joined(separator: "\n")) }
    }

    /// Prints a line without buffering. Throws ``OutputError``. Ends the program successfully if the reader has closed
    /// the pipe, since it has read what it wanted.
    static func print(_ line: String) throws {
        _ = survivesLostReader
        var bytes = Array((line + "\n").utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            if count < 0 && errno == EINTR { continue }
            if count < 0 && errno == EPIPE { throw ExitCode.success }
            guard count > 0 else { throw OutputError(cause: String(cString: strerror(errno))) }
            bytes = bytes.dropFirst(count)
        }
    }

    /// Prints a message to standard error. Ignores errors, since they could not be reported.
    static func say(_ message: String) {
        try? FileHandle.standardError.write(contentsOf: Data("reader: \(message.onOneLine)\n".utf8))
    }

    private static let survivesLostReader: Void = { signal(SIGPIPE, SIG_IGN) }()
}

/// Standard output cannot be written.
struct OutputError: Error, CustomStringConvertible {
    let cause: String

    var description: String {
        "cannot write standard output: \(cause) (check where it leads, and the free space there)"
    }
}

extension Date {
    /// The date and time in the system's time zone, to the second.
    var local: String {
        let style = Date.ISO8601FormatStyle(dateTimeSeparator: .space, timeZone: .current)
        return formatted(style.year().month().day().time(includingFractionalSeconds: false))
    }
}

extension TextTable {
    private init(_ header: [String], _ rows: [[String]], numbers: Set<Int> = []) {
        self.init(header: header, rows: rows.map { $0.map(\.flattened) }, numbers: numbers)
    }

    init(tweets: [ShownTweet]) {
        self.init(
            ["id", "written", "by", "star", "text"],
            tweets.map {
                let tweet = $0.tweet
                return [
                    "\(tweet.id)", tweet.createdAt.local, "@" + tweet.user.screenName,
                    $0.isStarred ? "*" : "", tweet.text,
                ]
            },
            numbers: [0])
    }

    init(records: [ReadRecord]) {
        self.init(["id", "made"], records.map { [$0.id, $0.createdAt.local] })
    }

    init(items: [Item]) {
        self.init(
            ["id", "time"], items.map { ["\($0.id)", $0.timestamp.local] }, numbers: [0])
    }

    init(articles: [Article]) {
        self.init(["title", "url"], articles.map { [$0.title, $0.url] })
    }

    init(feeds: [CachedFeed], now: Date) {
        self.init(
            ["tab", "articles", "loaded", "fresh until"],
            feeds.map { feed in
                [
                    "\(feed.tab)", "\(feed.articles.count)", feed.fetchedAt.local,
                    feed.isFresh(at: now) ? feed.expiresAt.local : "stale",
                ]
            }, numbers: [0, 1])
    }
}

extension Int {
    /// The number with the noun: "1 item", "2 items".
    func counted(_ noun: String) -> String { self == 1 ? "1 \(noun)" : "\(self) \(noun)s" }
}
