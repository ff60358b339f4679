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
