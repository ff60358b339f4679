/// An article of a feed.
public struct Article: Hashable, Codable, Sendable {
    /// What it is called.
    public var title: String
    /// Where it stands.
    public var url: String

    /// See the properties.
    public init(title: String, url: String) {
        self.title = title
        self.url = url
    }
}
