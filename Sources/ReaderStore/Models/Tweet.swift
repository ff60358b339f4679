import Foundation

/// An entry of the timeline.
public struct Tweet: Hashable, Sendable, Identifiable {
    /// The API's id.
    public var id: Int64
    /// When it was written. Whole seconds are kept.
    public var createdAt: Date
    /// What it says.
    public var text: String
    /// Who wrote it.
    public var user: User

    /// See the properties.
    public init(id: Int64, createdAt: Date, text: String, user: User) {
        self.id = id
        self.createdAt = createdAt
        self.text = text
        self.user = user
    }
}

/// With the keys of the API.
extension Tweet: Codable {
    private enum CodingKeys: String, CodingKey {
        case id, text, user
        case createdAt = "created_at"
    }
}

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
