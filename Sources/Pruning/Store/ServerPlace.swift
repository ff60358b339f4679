/// Where a server is, as a url says it.
package enum ServerPlace: Equatable, Sendable {
    /// A host, by name or address.
    case host(String)
    /// The directory of a socket.
    case directory(String)
}
