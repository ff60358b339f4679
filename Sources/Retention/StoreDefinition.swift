/// A store in the policy.
package struct StoreDefinition: Codable, Hashable, Sendable {
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
    /// How far behind a replica may be before a run waits for it; nil: no run waits.
    package var maxLag: Span?
    /// How much log a replication slot of the server may keep before a run waits for it; nil: no run waits.
    package var maxSlotLog: ByteCount?
    /// How many rows a second runs delete at most, on the average; nil: as many as can be.
    package var maxRowsPerSecond: Int?
    /// What tells its stores apart if it stands for many, which are looked for; nil: it is one store.
    package var family: StoreFamily?

    /// What kind of store it is, and where.
    package enum Kind: Codable, Hashable, Sendable {
        /// A database file. Relative paths start at the state directory.
        case sqlite(path: String)
        /// A PostgreSQL database.
        case postgresql(ConnectionString)
        /// A MariaDB database.
        case mariadb(ConnectionString)

        /// The database that the connection string names. Its scheme says of what kind it is.
        package static func server(_ connection: ConnectionString) -> Kind {
            connection.isOfMariaDB ? .mariadb(connection) : .postgresql(connection)
        }

        /// Nil for a file.
        package var connection: ConnectionString? {
            switch self {
            case .sqlite: nil
            case .postgresql(let connection), .mariadb(let connection): connection
            }
        }
    }

    /// The preset that the rest of the definition comes from; nil if there is none.
    package var preset: Name? { gate?.preset }

    package var format: StoreFormat {
        switch kind {
        case .sqlite: .sqlite
        case .postgresql: .postgresql
        case .mariadb: .mariadb
        }
    }

    /// Where the store is, as text for people, without secrets.
    package var place: String {
        switch kind {
        case .sqlite(let path): path
        case .postgresql(let connection), .mariadb(let connection): connection.redacted
        }
    }

    /// The path of the store's file; nil for a store without one.
    package var file: String? {
        switch kind {
        case .sqlite(let path): path
        case .postgresql, .mariadb: nil
        }
    }

    /// Parameters that are left out get the documented defaults of the kind.
    package init(name: Name, kind: Kind, reclaim: Bool? = nil, isQuiet: Bool = false) {
        self.name = name
        self.kind = kind
        self.reclaim = false
        self.isQuiet = isQuiet
        self.reclaim = reclaim ?? Self.defaultReclaim(of: format)
        maxLag = format == .postgresql ? Self.defaultMaxLag : nil
    }

    package init(name: Name, path: String, reclaim: Bool? = nil, isQuiet: Bool = false) {
        self.init(name: name, kind: .sqlite(path: path), reclaim: reclaim, isQuiet: isQuiet)
    }

    /// The value of ``reclaim`` where the configuration does not set it. A server makes the space of deleted rows usable
    /// again by itself.
    package static func defaultReclaim(of format: StoreFormat) -> Bool { format == .sqlite }

    /// The value of ``maxLag`` of a PostgreSQL store whose configuration does not set it.
    package static let defaultMaxLag = Span(10, .second)
}

extension StoreDefinition.Kind {
    /// The place as it may be stored where others can read it.
    fileprivate var withoutSecrets: StoreDefinition.Kind {
        guard let connection, let shown = try? ConnectionString(connection.redacted) else { return self }
        return .server(shown)
    }
}

extension [StoreDefinition] {
    /// The stores, without passwords in their places.
    var withoutSecrets: [StoreDefinition] {
        map { store in
            var store = store
            store.kind = store.kind.withoutSecrets
            return store
        }
    }

    /// The stores, with the passwords that `others` have for the same places.
    func knowingSecrets(of others: [StoreDefinition]) -> [StoreDefinition] {
        map { store in
            var store = store
            let same = others.first { $0.name == store.name && $0.kind.withoutSecrets == store.kind }
            if let same { store.kind = same.kind }
            return store
        }
    }
}
