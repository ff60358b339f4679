import Foundation

/// An error in loading or reading a feed.
public struct FeedError: Error, Equatable, Sendable {
    /// The kind of error, from which an app can decide whether to retry.
    public enum Kind: Hashable, Sendable {
        /// Feeds cannot be loaded from the address: it is neither `http` nor `https`, or has no host.
        case address
        /// The server could not be reached, or the connection failed.
        case connection
        /// The answer took too long.
        case timeout
        /// The server answered with this status instead of a feed.
        case status(Int)
        /// The server redirected too often, or to an address that is not permitted.
        case redirect
        /// The answer is larger than permitted.
        case size
        /// The answer was cut off.
        case incomplete
        /// The answer is not a feed.
        case notAFeed
        /// The answer is a feed, but violates its format.
        case malformed
        /// The bytes are not valid text in their declared encoding.
        case encoding
    }

    /// The kind of error.
    public let kind: Kind
    /// The operation that failed, as an infinitive: "load".
    public let operation: String
    /// The feed's address, without user and password; "the feed" if it is unknown.
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

    /// The address without credentials, since other people may read the log.
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
    /// Operation, place, cause and hint, on one line.
    public var description: String { "cannot \(operation) \(place): \(cause) (\(hint))" }
}

/// Errors of loading. Errors of reading are in ``ReadingFailure``.
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
