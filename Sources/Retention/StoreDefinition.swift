/// A store as the policy names it.
package struct StoreDefinition: Hashable, Sendable {
    /// Unique in its policy.
    package var name: Name
    /// The database file; relative paths start at the state directory.
    package var path: String
    /// Whether free pages are given back to the file system after a run, if the store was made for that.
    package var reclaim: Bool
    /// Whether the rules on it that do not say otherwise are ``RetentionRule/isQuiet``, and giving free pages back is, too.
    package var isQuiet: Bool

    /// See the properties.
    package init(name: Name, path: String, reclaim: Bool = Self.defaultReclaim, isQuiet: Bool = false) {
        self.name = name
        self.path = path
        self.reclaim = reclaim
        self.isQuiet = isQuiet
    }

    /// Whether a store that does not say is reclaimed.
    package static let defaultReclaim = true
}
