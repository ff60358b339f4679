import Foundation

/// The failures of loading. Those of reading are in ``ReadingFailure``.
extension FeedError {
    static func address(_ url: URL) -> Self {
        Self(
            .address, "load", url, cause: "it is no address that feeds are loaded from",
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
        Self(.redirect, "load", url, cause: cause, hint: "look for the present address of the feed")
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
