/// A store in the policy.
package struct StoreDefinition: Hashable, Sendable {
    /// Unique in its policy.
    package var name: Name
    /// What kind of store it is, and where.
    package var kind: Kind
    /// Whether a run gives free pages back to the file system, if the store's format permits it.
    package var reclaim: Bool
    /// The default of ``RetentionRule/isQuiet`` for rules on this store. It also applies when free pages are given
    /// back.
    package var isQuiet: Bool
    /// The schemas that the store may have; nil for any.
    package var gate: StoreGate?
    /// The name of a file beside the store. While a process has it locked, the store's app is at work and cannot wait,
    /// so the store is left alone.
    package var skipWhileLocked: String?

    /// What kind of store it is, and where.
    package enum Kind: Hashable, Sendable {
        /// A database file. Relative paths start at the state directory.
        case sqlite(path: String)
    }

    /// The preset that the rest of the definition comes from; nil if there is none.
    package var preset: Name? { gate?.preset }

    /// Where the store is, as text for people.
    package var place: String {
        switch kind {
        case .sqlite(let path): path
        }
    }

    /// The path of the store's file; nil for a store without one.
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

    package init(name: Name, path: String, reclaim: Bool = Self.defaultReclaim, isQuiet: Bool = false) {
        self.init(name: name, kind: .sqlite(path: path), reclaim: reclaim, isQuiet: isQuiet)
    }

    /// The value of ``reclaim`` where the configuration does not set it.
    package static let defaultReclaim = true
}
