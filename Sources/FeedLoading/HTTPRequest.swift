import Foundation
import ReaderStore

/// What a server is asked.
struct HTTPRequest: Sendable {
    let url: URL
    /// The headers by which only a changed feed is asked for; none where nothing is cached.
    let conditions: [String]
    /// The largest answer, in bytes after decompression.
    let size: Int
    let time: Duration

    /// As they are sent.
    var headers: [String] {
        [
            "User-Agent: ReaderStore",
            "Accept: application/feed+json, application/atom+xml, application/rss+xml, application/json;q=0.9,"
                + " application/xml;q=0.9, text/xml;q=0.9, */*;q=0.5",
        ] + conditions
    }

    /// What asks for something else than the version that `validators` came with.
    static func conditions(_ validators: FeedValidators?) -> [String] {
        [
            sendable(validators?.etag).map { "If-None-Match: \($0)" },
            sendable(validators?.lastModified).map { "If-Modified-Since: \($0)" },
        ].compactMap(\.self)
    }

    /// No server sends a line break in one. What a store holds may have been put there by somebody else.
    private static func sendable(_ validator: String?) -> String? {
        guard let validator, !validator.isEmpty, validator.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
        else {
            return nil
        }
        return validator
    }
}

/// What a server answered to one request.
struct HTTPAnswer: Sendable {
    let status: Int
    let contentType: String?
    let validators: FeedValidators
    /// Where to ask instead, as it was sent.
    let location: String?
    /// Whole, and decompressed. Empty unless the status is 200: what comes with an error is not read.
    let body: Data
}
