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

/// The failures of loading. Those of reading are in ``ReadingFailure``.
extension FeedError {
    static func address(_ url: URL) -> Self {
        Self(
            .address, "load", url, cause: "feeds cannot be loaded from this address",
            hint: "give one that begins with https:// or http://")
    }

    static func connection(_ url: URL, cause: String) -> Self {
        Self(
            .connection, "load", url, cause: PlainText.oneLine(cause),
            hint: "check the address and the connection to the network")
    }

    static func timeout(_ url: URL, limit: Duration) -> Self {
        let time = limit.formatted(.units(allowed: [.minutes, .seconds, .milliseconds], width: .narrow))
        return Self(.timeout, "load", url, cause: "it took longer than \(time)", hint: "try again later")
    }

    static func status(_ status: Int, _ url: URL) -> Self {
        let hint =
            switch status {
            case 401, 403, 407: "check whether the feed asks for a password"
            case 404, 410: "check the address: the feed is not there, or no longer"
            case 429, 500...: "try again later"
            default: "check the address"
            }
        return Self(
            .status(status), "load", url, cause: "the server answered with status \(status)", hint: hint)
    }

    static func redirect(_ url: URL, cause: String) -> Self {
        Self(.redirect, "load", url, cause: cause, hint: "find the current address of the feed")
    }

    static func size(_ url: URL, limit: Int) -> Self {
        Self(
            .size, "load", url, cause: "the answer is larger than \(limit) bytes",
            hint: "check that it is the address of a feed")
    }

    static func incomplete(_ url: URL, cause: String) -> Self {
        Self(
            .incomplete, "load", url, cause: "the answer broke off: \(PlainText.oneLine(cause))",
            hint: "try again")
    }
}
