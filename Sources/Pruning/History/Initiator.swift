/// Who made something happen.
package struct Initiator: Equatable, Sendable {
    /// The names are those of the history's file: they stay.
    package enum Kind: String, Codable, Sendable {
        /// The service, because it was due, or told to by a signal; or the timer's run.
        case service
        /// A person, on the command line.
        case hand
    }

    /// Whether it was the service.
    package let kind: Kind
    /// As whom; nil when the user has no name.
    package let user: String?

    /// See the properties.
    package init(_ kind: Kind, user: String?) {
        self.kind = kind
        self.user = user
    }
}
