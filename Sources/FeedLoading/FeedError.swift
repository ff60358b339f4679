import Foundation

/// Why a feed could not be loaded or read.
public struct FeedError: Error, Equatable, Sendable {
    /// What kind of failure it was, for whether trying again makes sense.
    public enum Kind: Hashable, Sendable {
        /// The address is none that feeds are loaded from: neither `http` nor `https`, or without a host.
        case address
        /// The server was not reached, or the connection to it failed.
        case connection
        /// The answer was not there in time.
        case timeout
        /// The server answered, but with this status instead of a feed.
        case status(Int)
        /// The server sent it elsewhere too often, or where it must not go.
        case redirect
        /// The answer is larger than allowed.
        case size
        /// The answer broke off.
        case incomplete
        /// What was answered is something else than a feed.
        case notAFeed
        /// A feed, but one that breaks the rules of its format.
        case malformed
        /// The bytes are no text in the encoding that they claim to be in.
        case encoding
    }

    /// What kind of failure it was.
    public let kind: Kind
    /// What was being done, as an infinitive: "load".
    public let operation: String
    /// The address of the feed, without user and password; "the feed" where none is known.
    public let place: String
    /// What went wrong.
    public let cause: String
    /// What to do about it.
    public let hint: String

    init(_ kind: Kind, _ operation: String, _ url: URL?, cause: String, hint: String) {
        self.kind = kind
        self.operation = operation
        self.place = url.map(Self.withoutCredentials) ?? "the feed"
        self.cause = cause
        self.hint = hint
    }

    /// An address as it may be shown: what is in a log is read by others.
    static func withoutCredentials(_ url: URL) -> String {
        guard url.user != nil || url.password != nil,
            var parts = URLComponents(url: url, resolvingAgainstBaseURL: true)
        else { return url.absoluteString }
        parts.user = nil
        parts.password = nil
        return parts.string ?? "the feed"
    }
}

extension FeedError: CustomStringConvertible {
    /// One line: operation, place, cause, hint.
    public var description: String { "cannot \(operation) \(place): \(cause) (\(hint))" }
}
