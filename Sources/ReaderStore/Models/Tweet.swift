import Foundation

/// An entry of the timeline.
public struct Tweet: Hashable, Sendable, Identifiable {
    /// The API's id.
    public var id: Int64
    /// When it was written. Stored in whole seconds.
    public var createdAt: Date
    /// The text.
    public var text: String
    /// The author.
    public var user: User

    /// See the properties.
    public init(id: Int64, createdAt: Date, text: String, user: User) {
        self.id = id
        self.createdAt = createdAt
        self.text = text
        self.user = user
    }
}

/// Encoded with the keys of the API.
extension Tweet: Codable {
    private enum CodingKeys: String, CodingKey {
        case id, text, user
        case createdAt = "created_at"
    }
}

/// The author of a tweet.
public struct User: Hashable, Sendable, Identifiable {
    /// The API's id.
    public var id: Int64
    /// The display name.
    public var name: String
    /// The unique name.
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

/// Encoded with the keys of the API.
extension User: Codable {
    private enum CodingKeys: String, CodingKey {
        case id, name
        case screenName = "screen_name"
        case profileImageURL = "profile_image_url_https"
    }
}
