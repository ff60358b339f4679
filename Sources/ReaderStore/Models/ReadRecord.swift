import Foundation

/// That something was read: its id, and when it was made. Not when it was read: a record is needed no longer than
/// what it marks.
public struct ReadRecord: Hashable, Sendable, Identifiable {
    /// What was read, as its source names it.
    public var id: String
    /// When that was made. Whole seconds are kept.
    public var createdAt: Date

    /// See the properties.
    public init(id: String, createdAt: Date) {
        self.id = id
        self.createdAt = createdAt
    }

    /// How many calendar days a record is kept where nothing else is said, as the service does.
    public static let keptDays = 30
}

/// With the names of the store's columns.
extension ReadRecord: Codable {
    private enum CodingKeys: String, CodingKey {
        case id
        case createdAt = "created_at"
    }
}
