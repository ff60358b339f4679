import Foundation

/// Why a document could not be parsed, without its address.
enum ReadingFailure: Error, Equatable {
    /// What it looks like instead, as a noun: "an HTML page".
    case notAFeed(String)
    /// What is wrong with it, as a sentence.
    case malformed(String)
    /// What is wrong with its encoding, as a sentence.
    case encoding(String)
    /// Parsing takes longer than permitted.
    case tooLate

    func error(at url: URL?) -> FeedError {
        switch self {
        case .notAFeed(let looks):
            FeedError(
                .notAFeed, "read", url, cause: "it is not a feed but \(looks)",
                hint: "look for the address of the feed; RSS, Atom, JSON Feed and JSON arrays are read")
        case .malformed(let cause):
            FeedError(.malformed, "read", url, cause: cause, hint: "try again later, or tell its publisher")
        case .encoding(let cause):
            FeedError(.encoding, "read", url, cause: cause, hint: "tell its publisher")
        case .tooLate:
            FeedError(
                .timeout, "read", url, cause: "parsing it takes too long", hint: "tell its publisher")
        }
    }
}
