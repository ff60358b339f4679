/// Who wrote a tweet.
public struct User: Hashable, Sendable, Identifiable {
    /// The API's id.
    public var id: Int64
    /// The name that is shown.
    public var name: String
    /// The name that is unique.
    public var screenName: String
    /// The address of the picture.
    public var profileImageURL: String

    /// See the properties.
    public init(id: Int64, name: String, screenName: String, profileImageURL: String) {
        self.id = id
        self.name = name
        self.screenName = screenName
        self.profileImageURL = profileImageURL
    }
}

/// With the keys of the API.
extension User: Codable {
    private enum CodingKeys: String, CodingKey {
        case id, name
        case screenName = "screen_name"
        case profileImageURL = "profile_image_url_https"
    }
}
