import Foundation

/// Something of the app's that has an id and a time.
public struct Item: Hashable, Codable, Sendable, Identifiable {
    /// Given by the store.
    public var id: Int64
    /// Whole seconds.
    public var timestamp: Date
}
