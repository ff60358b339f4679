/// Who made something happen.
public struct Initiator: Equatable, Sendable {
    /// The names are those of the history's file: they stay.
    public enum Kind: String, Codable, Sendable {
        /// The service, because it was due, or told to by a signal; or the timer's run.
        case service
        /// A person, on the command line.
        case hand
    }

    /// Whether it was the service.
    public let kind: Kind
    /// As whom; nil when the user has no name.
    public let user: String?

    /// See the properties.
    public init(_ kind: Kind, user: String?) {
        self.kind = kind
        self.user = user
    }
}
