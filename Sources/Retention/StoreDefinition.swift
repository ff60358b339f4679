/// A store as the policy names it.
public struct StoreDefinition: Hashable, Sendable {
    /// Unique in its policy.
    public var name: Name
    /// The database file; relative paths start at the state directory.
    public var path: String
    /// Whether free pages are given back to the file system after a run, if the store was made for that.
    public var reclaim: Bool
    /// Whether the rules on it that do not say otherwise are ``RetentionRule/isQuiet``, and giving free pages back is, too.
    public var isQuiet: Bool

    /// See the properties.
    public init(name: Name, path: String, reclaim: Bool = Self.defaultReclaim, isQuiet: Bool = false) {
        self.name = name
        self.path = path
        self.reclaim = reclaim
        self.isQuiet = isQuiet
    }

    /// Whether a store that does not say is reclaimed.
    public static let defaultReclaim = true
}
