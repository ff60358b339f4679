/// A store as the policy names it.
package struct StoreDefinition: Hashable, Sendable {
    /// Unique in its policy.
    package var name: Name
    /// What kind of store it is, and where.
    package var kind: Kind
    /// Whether free pages are given back to the file system after a run, if the store was made for that.
    package var reclaim: Bool
    /// Whether the rules on it that do not say otherwise are ``RetentionRule/isQuiet``, and giving free pages back is, too.
    package var isQuiet: Bool

    /// What kind of store it is, and where.
    package enum Kind: Hashable, Sendable {
        /// A database file; relative paths start at the state directory.
        case sqlite(path: String)
    }

    /// Where the store is, for people.
    package var place: String {
        switch kind {
        case .sqlite(let path): path
        }
    }

    /// The file that the store is; nil where it is none.
    package var file: String? {
        switch kind {
        case .sqlite(let path): path
        }
    }

    package init(name: Name, kind: Kind, reclaim: Bool = Self.defaultReclaim, isQuiet: Bool = false) {
        self.name = name
        self.kind = kind
        self.reclaim = reclaim
        self.isQuiet = isQuiet
    }

    /// A SQLite file.
    package init(name: Name, path: String, reclaim: Bool = Self.defaultReclaim, isQuiet: Bool = false) {
        self.init(name: name, kind: .sqlite(path: path), reclaim: reclaim, isQuiet: isQuiet)
    }

    /// Whether a store that does not say is reclaimed.
    package static let defaultReclaim = true
}
