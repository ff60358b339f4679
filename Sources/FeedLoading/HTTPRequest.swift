import Foundation
import ReaderStore

/// A request to a server.
struct HTTPRequest: Sendable {
    let url: URL
    /// The headers that ask only for a changed feed; empty when none is cached.
    let conditions: [String]
    /// The largest answer, in bytes after decompression.
    let size: Int
    let time: Duration

    /// All headers, as they are sent.
    var headers: [String] {
        [
            "User-Agent: ReaderStore",
            "Accept: application/feed+json, application/atom+xml, application/rss+xml, application/json;q=0.9,"
                + " application/xml;q=0.9, text/xml;q=0.9, */*;q=0.5",
        ] + conditions
    }

    /// The headers that ask only for another version than that of `validators`.
    static func conditions(_ validators: FeedValidators?) -> [String] {
        [
            sendable(validators?.etag).map { "If-None-Match: \($0)" },
            sendable(validators?.lastModified).map { "If-Modified-Since: \($0)" },
        ].compactMap(\.self)
    }

    /// The validator if it has no control characters. A server cannot send a line break in it, but another program may
    /// have written it to the store.
    private static func sendable(_ validator: String?) -> String? {
        guard let validator, !validator.isEmpty, validator.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
        else {
            return nil
        }
        return validator
    }
}

/// A server's answer to one request.
struct HTTPAnswer: Sendable {
    let status: Int
    let contentType: String?
    let validators: FeedValidators
    /// The `Location` of a redirect, as it was sent.
    let location: String?
    /// The complete body, decompressed. Empty unless the status is 200: the body of an error is not read.
    let body: Data
}
