/// What a rule does with a partition of its table whose rows have all expired.
package enum PartitionAction: String, Codable, CaseIterable, Hashable, Sendable {
    /// The partition is detached and dropped as a whole.
    case drop
}
