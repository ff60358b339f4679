import Foundation

/// Records that something was read: its id, and when it was created. When it was read is not recorded, because the
/// record is needed only as long as what it marks exists.
public struct ReadRecord: Hashable, Sendable, Identifiable {
    /// The id of what was read, as its source gives it.
    public var id: String
    /// When that was created. Stored in whole seconds.
    public var createdAt: Date

    /// See the properties.
    public init(id: String, createdAt: Date) {
        self.id = id
        self.createdAt = createdAt
    }

    /// How many calendar days a record is kept by default, also by the service.
    public static let keptDays = 30
}

/// Encoded with the names of the store's columns.
extension ReadRecord: Codable {
    private enum CodingKeys: String, CodingKey {
        case id
        case createdAt = "created_at"
    }
}
